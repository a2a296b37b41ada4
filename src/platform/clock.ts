/** The process's clock, for logs and in-process waits; expiry is decided by the database. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
