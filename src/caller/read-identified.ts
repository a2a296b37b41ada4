// If reading the body takes longer, the sender is identified again before authorization.
const SLOW_BODY_MS = 250;

/**
 * Reads a request's body after identifying its sender, and identifies the sender again if reading
 * was slow: a credential revoked in the meantime must not act (authorization.md 6.1).
 */
export async function readIdentified<Who, Body>(
  identify: () => Promise<Who>,
  read: () => Promise<Body>,
): Promise<{ caller: Who; body: Body; body_ms: number }> {
  const caller = await identify();
  const began = performance.now();
  const body = await read();
  const arrival_ms = performance.now() - began;
  return {
    caller: arrival_ms > SLOW_BODY_MS ? await identify() : caller,
    body,
    body_ms: arrival_ms,
  };
}
