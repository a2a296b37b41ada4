/** Product version shown to clients, trace collectors and people. */
export const VERSION = '0.1.0';
