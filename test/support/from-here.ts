/** The address of a client on this machine, for tests that authenticate without a request. */
export const fromHere = (): string => '127.0.0.1';
