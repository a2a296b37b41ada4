/** The process's clock, for logs and waiting within the process; the database decides on expiry. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
