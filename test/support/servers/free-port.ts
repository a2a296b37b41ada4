import { randomInt } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { takeLock } from '../../../src/stack/folder-lock.ts';
import { isPortFree } from '../../../src/stack/ports.ts';

// Below those that systems give to whoever asks for any, and to connections that go out.
const FIRST = 20_000;
const PORTS = 12_000;
const LOCKS = join(tmpdir(), `toolgate-ports-${userInfo().uid}`);

/** A port nobody listens on, and no other caller is given while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + randomInt(PORTS);
    const lock = takeLock(join(LOCKS, String(port)));
    if (lock === null) continue;
    if (await isPortFree(port, '127.0.0.1')) return port;
    lock.release();
  }
}
