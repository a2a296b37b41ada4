import { createKey, selectTools, signUp } from '../support/people/people.ts';
import type { Mailbox } from '../support/people/mailbox.ts';
import type { Load, Request } from './load.ts';
import { initialize, legacy, modern } from './messages.ts';
import type { Method } from './messages.ts';
import { startPeer } from './process.ts';
import type { PeerProcess } from './process.ts';
import { allFamilies } from './tenants.ts';
import type { Tenants } from './tenants.ts';
import type { Contender } from './turns.ts';

const OK = '"ok":true';
const MAX_CONCURRENT_SESSIONS = 8;

/** Returns tool calls in both versions: by many owners, by many keys of one owner, by one key. */
export async function callContenders(
  peer: PeerProcess,
  port: number,
  { owners, shared, one }: Tenants,
): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const [load, keys] of [
    ['owners', owners],
    ['shared', shared],
    ['one key', [one]],
  ] as const) {
    const sessions = await openSessions(port, keys);
    const in2026 = keys.map((key) => modern('tools/call', key));
    const in2025 = sessions.map((opened) => legacy('tools/call', opened));
    for (const [era, requests] of [
      ['2026', in2026],
      ['2025', in2025],
    ] as const)
      contenders.push({
        ...{ name: `call ${era} ${load}`, peer, expecting: OK },
        load: { port, requests },
      });
  }
  return contenders;
}

export async function openSessions(port: number, keys: readonly string[]) {
  const opened: { key: string; session: string }[] = [];
  for (let start = 0; start < keys.length; start += MAX_CONCURRENT_SESSIONS)
    opened.push(
      ...(await Promise.all(
        keys
          .slice(start, start + MAX_CONCURRENT_SESSIONS)
          .map(async (key) => ({ key, session: await initialize(port, key) })),
      )),
    );
  return opened;
}

/** Returns other requests by many owners, and long lists by a key that reaches 200 tools. */
export async function otherContenders(
  peer: PeerProcess,
  port: number,
  { owners }: Tenants,
  many: string,
): Promise<Contender[]> {
  const sessions = await openSessions(port, owners);
  const contenderOf = (name: string, requests: readonly Request[], expecting: string) => ({
    ...{ name, peer, expecting },
    load: { port, requests },
  });
  const inBothVersions = (name: string, method: Method, expecting: string) => [
    contenderOf(
      `${name} 2026`,
      owners.map((key) => modern(method, key)),
      expecting,
    ),
    contenderOf(
      `${name} 2025`,
      sessions.map((opened) => legacy(method, opened)),
      expecting,
    ),
  ];
  const manyIn2025 = { key: many, session: await initialize(port, many) };
  return [
    ...inBothVersions('list 1', 'tools/list', '"noop"'),
    contenderOf('list 200 2026', [modern('tools/list', many)], 'noop_0150'),
    contenderOf('list 200 2025', [legacy('tools/list', manyIn2025)], 'noop_0150'),
    ...inBothVersions('get', 'prompts/get', 'Greet you.'),
    ...inBothVersions('read', 'resources/read', 'One note.'),
  ];
}

/** Creates a key that reaches 200 of 1,000 tools. */
export async function makeKeyOfMany(mailbox: Mailbox, url: string): Promise<string> {
  const names = Array.from(
    { length: 199 },
    (_, index) => `noop_${String(index + 1).padStart(4, '0')}`,
  );
  const person = await signUp({ mailbox }, { url });
  await selectTools(person, ['noop', ...names]);
  return (await createKey(person, allFamilies)).secret;
}

/** Starts the floor with state for the same three loads. */
export async function startFloor(
  env: Readonly<Record<string, string>>,
  freePort: () => Promise<number>,
  { owners, shared, one }: Tenants,
): Promise<Contender[]> {
  const port = await freePort();
  const peer = await startPeer('floor', { ...env, PORT: String(port) });
  const contenderOf = (name: string, keys: readonly string[]) => ({
    ...{ name: `floor ${name}`, peer, expecting: OK },
    load: { port, requests: keys.map((key) => legacy('tools/call', { key })) },
  });
  return [
    contenderOf('owners', owners),
    contenderOf('shared', shared),
    contenderOf('one key', [one]),
  ];
}

/** Starts the other servers, which have no authorization. */
export async function startPeers(
  env: Readonly<Record<string, string>>,
  freePort: () => Promise<number>,
): Promise<Contender[]> {
  const peers: [name: string, request: Request, expecting: string][] = [
    ['bare', legacy('tools/call'), OK],
    ['sdk-v1', legacy('tools/call'), OK],
    ['sdk-v2', modern('tools/call'), OK],
    ['fastmcp', legacy('tools/call'), 'ok'],
    ['mcp-proxy', legacy('tools/call'), 'ok'],
  ];
  const started: Contender[] = [];
  for (const [name, request, expecting] of peers) {
    const port = await freePort();
    const peer = await startPeer(name, { ...env, PORT: String(port) });
    const load: Load = { port, requests: [request] };
    started.push({ name, peer, load, expecting });
  }
  return started;
}
