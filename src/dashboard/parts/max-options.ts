/** Options that a field with a search shows at once; typing finds the others. */
export const MAX_OPTIONS = 100;
