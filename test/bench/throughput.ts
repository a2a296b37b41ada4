import { createItem } from '../support/items.ts';
import { createKey, selectTools, signUp } from '../support/people.ts';
import type { SignedUp } from '../support/people.ts';
import type { Mailbox } from '../support/mailbox.ts';
import type { Load } from './load.ts';
import { initialize, legacy, modern } from './messages.ts';
import type { Method } from './messages.ts';
import { startPeer } from './process.ts';
import type { PeerProcess } from './process.ts';
import type { Contender } from './turns.ts';

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

/** What is asked of ours; the session rows belong to the era that has sessions. */
export async function ourContenders(
  peer: PeerProcess,
  port: number,
  { one, many }: Keys,
): Promise<Contender[]> {
  const session = await initialize(port, one);
  const of = (name: string, load: Load, expecting: string) => ({ name, peer, load, expecting });
  const both = (name: string, method: Method, expecting: string) => [
    of(`${name} 2026`, modern(port, method, one), expecting),
    of(`${name} 2025`, legacy(port, method, { key: one, session }), expecting),
  ];
  const manyIn2025 = { key: many, session: await initialize(port, many) };
  return [
    ...both('call', 'tools/call', OK),
    ...both('list 1', 'tools/list', '"noop"'),
    of('list 200 2026', modern(port, 'tools/list', many), 'noop_0150'),
    of('list 200 2025', legacy(port, 'tools/list', manyIn2025), 'noop_0150'),
    ...both('get', 'prompts/get', 'Greet you.'),
    ...both('read', 'resources/read', 'One note.'),
  ];
}

/** The servers beside ours, started. */
export async function startPeers(
  env: Readonly<Record<string, string>>,
  freePort: () => Promise<number>,
  key: string,
): Promise<Contender[]> {
  const peers: [name: string, load: (port: number) => Load, expecting: string][] = [
    ['bare', (port) => legacy(port, 'tools/call'), OK],
    ['floor', (port) => legacy(port, 'tools/call', { key }), OK],
    ['sdk-v1', (port) => legacy(port, 'tools/call'), OK],
    ['sdk-v2', (port) => modern(port, 'tools/call'), OK],
    ['fastmcp', (port) => legacy(port, 'tools/call'), 'ok'],
    ['mcp-proxy', (port) => legacy(port, 'tools/call'), 'ok'],
  ];
  const started: Contender[] = [];
  for (const [name, load, expecting] of peers) {
    const port = await freePort();
    const peer = await startPeer(name, { ...env, PORT: String(port) });
    started.push({ name, peer, load: load(port), expecting });
  }
  return started;
}
