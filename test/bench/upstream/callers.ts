import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import type { Mailbox } from '../../support/people/mailbox.ts';
import { createItem } from '../../support/worlds/items.ts';

/** A key, and the names of the tools of other servers that it can call. */
export interface Caller {
  key: string;
  /** Tools of MCP servers, by what their server speaks. */
  tools: Readonly<Record<Speech, string>>;
  /** A tool of kind http. */
  http: string;
}

/** A key, and tools of as many servers as a space has connections. */
export interface CallerOfMany {
  key: string;
  names: readonly string[];
}

/** What an upstream speaks; `2025-events` answers each request with a stream of events. */
export const speeches = ['2026', '2025', '2025-events'] as const;
export type Speech = (typeof speeches)[number];

// A space has at most twenty connections, a gateway five hundred.
const ACCOUNTS = 25;
const UPSTREAMS_EACH = 20;

/** Creates accounts with tools of other servers, all of them on one port. */
export async function createCallers(
  mailbox: Mailbox,
  gatewayUrl: string,
  upstreamOrigin: string,
): Promise<{ one: Caller; many: readonly CallerOfMany[] }> {
  const join = () => signUp({ mailbox }, { url: gatewayUrl });
  const first = await join();
  const tools = {} as Record<Speech, string>;
  for (const speech of speeches)
    tools[speech] = await addTool(first, `${upstreamOrigin}/${speech}`);
  const http = await addHttpTool(first, `${upstreamOrigin}/http`);
  const one = { key: (await createKey(first)).secret, tools, http };
  const many: CallerOfMany[] = [];
  for (let account = 0; account < ACCOUNTS; account += 1) {
    const person = await join();
    const names: string[] = [];
    for (let index = 0; index < UPSTREAMS_EACH; index += 1)
      names.push(await addTool(person, `${upstreamOrigin}/2026/${account}/${index}`));
    many.push({ key: (await createKey(person)).secret, names });
  }
  return { one, many };
}

const nameOf = () => `t_${crypto.randomUUID().replaceAll('-', '_')}`;

/** Adds an upstream with a secret header, and its tool; returns the tool's name. */
async function addTool(signedUp: SignedUp, url: string): Promise<string> {
  const { person, bearer } = signedUp;
  const { status, body } = await person.ask<{ id: string }>({
    path: '/api/me/upstreams',
    body: { name: nameOf(), url, headers: { Authorization: 'Bearer upstream-secret-5512' } },
    headers: bearer,
  });
  if (status !== 201) throw new Error(`upstream: ${JSON.stringify(body)}`);
  const name = nameOf();
  const mcp = { upstream_id: body.id, tool: 'report' };
  await createItem(signedUp, 'custom-tools', { name, kind: 'mcp', mcp });
  return name;
}

async function addHttpTool(signedUp: SignedUp, url: string): Promise<string> {
  const name = nameOf();
  await createItem(signedUp, 'custom-tools', {
    ...{ name, kind: 'http', description: 'Returns a report.' },
    input_schema: { type: 'object', properties: { size: { type: 'integer' } } },
    http: {
      ...{ method: 'POST', url, body: { size: '{{size}}' } },
      headers: { authorization: 'Bearer {{secret.KEY}}' },
    },
    secrets: { KEY: 'upstream-secret-5512' },
  });
  return name;
}
