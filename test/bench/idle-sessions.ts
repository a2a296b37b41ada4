import { createKey } from '../support/people/people.ts';
import type { SignedUp } from '../support/people/people.ts';
import { initialize } from './messages.ts';
import type { PeerProcess } from './process.ts';

const SESSIONS = 10_000;
/** The maximum number of sessions of a credential. */
const PER_KEY = 20;
const WARM = 3_000;

/** Measures the KiB held per idle 2025 session, averaged over 10,000. */
export async function measureIdleSessions(
  gateway: PeerProcess,
  port: number,
  tenant: SignedUp,
): Promise<number> {
  const fill = (key: string) =>
    Promise.all(Array.from({ length: PER_KEY }, () => initialize(port, key)));
  const keys: string[] = [];
  while (keys.length * PER_KEY < SESSIONS) keys.push((await createKey(tenant)).secret);
  // Warms up first, on one key: its oldest sessions end and leave nothing behind.
  for (let opened = 0; opened < WARM; opened += PER_KEY) await fill(keys[0]!);
  const before = await gateway.heldBytes();
  for (const key of keys) await fill(key);
  return ((await gateway.heldBytes()) - before) / SESSIONS / 1_024;
}
