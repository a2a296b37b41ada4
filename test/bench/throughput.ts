import { createItem } from '../support/items.ts';
import { createKey, selectTools, signUp } from '../support/people.ts';
import type { SignedUp } from '../support/people.ts';
import type { Mailbox } from '../support/mailbox.ts';
import { runLoad } from './load.ts';
import type { Load, LoadResult } from './load.ts';
import { initialize, legacy, modern } from './messages.ts';
import { startPeer } from './process.ts';
import type { PeerProcess } from './process.ts';

const CONNECTIONS = 32;
const SECONDS = 5;
// Until the compiler has settled: before that, whoever is measured first looks half as dear again.
const WARM_SECONDS = 3;
const WARM_ROUNDS = 12;
// As many rounds running that bring nothing better.
const SETTLED_ROUNDS = 3;

export interface Row extends LoadResult {
  name: string;
  cpuMicros: number;
}

/** Requests a second, latency and CPU of the peer's process for one kind of request. */
export async function measure(
  name: string,
  peer: PeerProcess,
  load: Load,
  expecting: string,
): Promise<Row> {
  const run = async (seconds: number) => {
    const before = peer.cpuMicros();
    const result = await runLoad(load, { connections: CONNECTIONS, seconds, expecting });
    const cpuMicros = (peer.cpuMicros() - before) / result.requests;
    return { name, cpuMicros, ...result };
  };
  let best = Infinity;
  let settled = 0;
  for (let round = 1; round <= WARM_ROUNDS && settled < SETTLED_ROUNDS; round += 1) {
    const { cpuMicros } = await run(WARM_SECONDS);
    settled = cpuMicros < best ? 0 : settled + 1;
    best = Math.min(best, cpuMicros);
  }
  return run(SECONDS);
}

export interface Keys {
  /** Reaches one tool, and 200 of 1 000. */
  one: string;
  many: string;
  /** Whose the first one is. */
  tenant: SignedUp;
}

/** Two people with a key each, made through the public endpoints. */
export async function makeKeys(mailbox: Mailbox, url: string): Promise<Keys> {
  const names = Array.from({ length: 199 }, (_, at) => `noop_${String(at + 1).padStart(4, '0')}`);
  const make = async (tools: readonly string[]) => {
    const person = await signUp({ mailbox }, { url });
    await selectTools(person, tools);
    return { person, key: (await createKey(person, allFamilies)).secret };
  };
  const one = await make(['noop']);
  const many = await make(['noop', ...names]);
  await createItem(one.person, 'prompts', greeting);
  await createItem(one.person, 'resources', note);
  return { one: one.key, many: many.key, tenant: one.person };
}

const allFamilies = { mcp_capabilities: ['tools', 'prompts', 'resources'] };
const greeting = {
  name: 'greeting',
  arguments: [{ name: 'who', required: true }],
  messages: [{ role: 'user', content: 'Greet {{who}}.' }],
};
const note = { path: 'notes/one', mime_type: 'text/plain', text: 'One note.' };

const OK = '"ok":true';

/** Our rows; the session rows belong to the era that has sessions. */
export async function measureToolgate(peer: PeerProcess, port: number, keys: Keys): Promise<Row[]> {
  const session = await initialize(port, keys.one);
  const many = await initialize(port, keys.many);
  return [
    await measure('call 2026', peer, modern(port, 'tools/call', keys.one), OK),
    await measure('call 2025', peer, legacy(port, 'tools/call', { key: keys.one, session }), OK),
    await measure('list 1 2026', peer, modern(port, 'tools/list', keys.one), '"noop"'),
    await measure('list 200 2026', peer, modern(port, 'tools/list', keys.many), 'noop_0150'),
    await measure(
      'list 1 2025',
      peer,
      legacy(port, 'tools/list', { key: keys.one, session }),
      '"noop"',
    ),
    await measure(
      'list 200 2025',
      peer,
      legacy(port, 'tools/list', { key: keys.many, session: many }),
      'noop_0150',
    ),
    await measure('get 2026', peer, modern(port, 'prompts/get', keys.one), 'Greet you.'),
    await measure(
      'get 2025',
      peer,
      legacy(port, 'prompts/get', { key: keys.one, session }),
      'Greet you.',
    ),
    await measure('read 2026', peer, modern(port, 'resources/read', keys.one), 'One note.'),
    await measure(
      'read 2025',
      peer,
      legacy(port, 'resources/read', { key: keys.one, session }),
      'One note.',
    ),
  ];
}

/** The servers beside ours, each alone on the machine while it is measured. */
export async function measurePeers(
  env: Readonly<Record<string, string>>,
  freePort: () => Promise<number>,
  key: string,
): Promise<Row[]> {
  const peers: [name: string, load: (port: number) => Load][] = [
    ['bare', (port) => legacy(port, 'tools/call')],
    ['floor', (port) => legacy(port, 'tools/call', { key })],
    ['sdk-v1', (port) => legacy(port, 'tools/call')],
    ['sdk-v2', (port) => modern(port, 'tools/call')],
    ['fastmcp', (port) => legacy(port, 'tools/call')],
    ['mcp-proxy', (port) => legacy(port, 'tools/call')],
  ];
  const rows: Row[] = [];
  for (const [name, load] of peers) {
    const port = await freePort();
    const peer = await startPeer(name, { ...env, PORT: String(port) });
    try {
      const expecting = name === 'fastmcp' || name === 'mcp-proxy' ? 'ok' : OK;
      rows.push(await measure(name, peer, load(port), expecting));
    } finally {
      await peer.stop();
    }
  }
  return rows;
}
