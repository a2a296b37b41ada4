// A body that took this long to arrive was identified too long ago to authorize with.
const SLOW_BODY_MS = 250;

/**
 * Reads what a request sends after its sender is identified, and identifies the sender again if that
 * was slow: a credential revoked meanwhile must not act (authorization.md 6.1).
 */
export async function readIdentified<Who, Body>(
  identify: () => Promise<Who>,
  read: () => Promise<Body>,
): Promise<{ who: Who; body: Body; arrival_ms: number }> {
  const who = await identify();
  const began = performance.now();
  const body = await read();
  const arrival_ms = performance.now() - began;
  return { who: arrival_ms > SLOW_BODY_MS ? await identify() : who, body, arrival_ms };
}
