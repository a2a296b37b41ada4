import { createKey } from '../support/people/people.ts';
import type { SignedUp } from '../support/people/people.ts';
import { initialize } from './messages.ts';
import type { PeerProcess } from './process.ts';

const SESSIONS = 10_000;
/** As many as a credential keeps at once. */
const PER_KEY = 20;
const WARM = 3_000;

/** What the gateway holds for one more live 2025-era session, in KiB, of ten thousand. */
export async function measureIdleSessions(
  gateway: PeerProcess,
  port: number,
  tenant: SignedUp,
): Promise<number> {
  const fill = (key: string) =>
    Promise.all(Array.from({ length: PER_KEY }, () => initialize(port, key)));
  const keys: string[] = [];
  while (keys.length * PER_KEY < SESSIONS) keys.push((await createKey(tenant)).secret);
  // What the first ones warm up is not theirs; the oldest of a key end and leave nothing behind.
  for (let opened = 0; opened < WARM; opened += PER_KEY) await fill(keys[0]!);
  const before = await gateway.heldBytes();
  for (const key of keys) await fill(key);
  return ((await gateway.heldBytes()) - before) / SESSIONS / 1_024;
}
