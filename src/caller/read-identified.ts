import { isRecent } from './recent.ts';

/** Who sent a request, and since when that is known, in the time of `performance.now()`. */
export interface Identified<Who> {
  caller: Who;
  /** A time before the credential was read: what happened later may be missing. */
  read_at: number;
}

/** Identifies the sender of a request now. */
export async function identifyNow<Who>(identify: () => Promise<Who>): Promise<Identified<Who>> {
  const read_at = performance.now();
  return { caller: await identify(), read_at };
}

/**
 * Reads a request's body after its sender was identified, and identifies the sender again if reading
 * was slow: a credential revoked in the meantime must not act (authorization.md 6.1).
 */
export async function readFrom<Who, Body>(
  first: Identified<Who>,
  identify: () => Promise<Who>,
  read: (sender: Who) => Promise<Body>,
): Promise<{ sender: Identified<Who>; body: Body; body_ms: number }> {
  const began = performance.now();
  const body = await read(first.caller);
  const body_ms = performance.now() - began;
  const sender = isRecent(began) ? first : await identifyNow(identify);
  return { sender, body, body_ms };
}
