import type { Call, Reply } from './call.ts';

/** Answers one request of either era. Never throws, never rejects. */
export type Dispatch = (call: Call) => Promise<Reply>;

/** What a method does; an expected no is thrown as a `Refusal`. */
export type Method = (call: Call) => Promise<Reply> | Reply;
