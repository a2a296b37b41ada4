/** Ids begin with their time, which is the same for what was made together: shows how one ends. */
export const shortId = (id: string): string => `…${id.slice(-8)}`;
