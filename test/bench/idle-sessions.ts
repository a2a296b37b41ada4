import { initialize } from './messages.ts';
import type { PeerProcess } from './process.ts';

// A credential keeps at most twenty; the oldest ones end, which leaves nothing behind either.
const WARM = 3_000;
const SESSIONS = 8_000;
const AT_ONCE = 20;

/** What one more 2025-era session leaves in the gateway's memory, in KiB. */
export async function measureIdleSessions(
  gateway: PeerProcess,
  port: number,
  key: string,
): Promise<number> {
  const open = async (count: number) => {
    for (let opened = 0; opened < count; opened += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => initialize(port, key)));
  };
  // What the first ones warm up is not theirs.
  await open(WARM);
  const before = gateway.residentBytes();
  await open(SESSIONS);
  return (gateway.residentBytes() - before) / SESSIONS / 1_024;
}
