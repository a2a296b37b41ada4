import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { prompts } from '../../../src/catalog/prompts.ts';
import { tools } from '../../../src/catalog/tools.ts';
import type { OracleOutcome } from '../../oracle/reach.ts';
import type { OraclePolicy } from '../../oracle/world.ts';
import { createPerson, signUp } from '../../support/people/people.ts';
import type { SendRequest } from '../../support/people/people.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';

const RUNNABLE = ['calculator', 'encode_decode', 'hash', 'text_statistics', 'uuid'];
const runnable = tools.filter(({ name }) => RUNNABLE.includes(name));
const retired = {
  ...runnable[0]!,
  id: '0190aaaa-0000-7000-8000-0000000000dd',
  name: 'retired',
  deprecated: true,
};

const retiredPrompt = {
  ...prompts[0]!,
  id: '0190aaaa-0000-7000-8000-0000000000ee',
  name: 'retired_prompt',
  deprecated: true,
};

/** Five real tools and three real prompts, and one deprecated item of each kind. */
export const smallCatalog = createCatalog(
  [...runnable, retired],
  [...prompts.slice(0, 3), retiredPrompt],
);
const oracleItemOf = ({
  id,
  name,
  deprecated = false,
}: {
  id: string;
  name: string;
  deprecated?: boolean;
}) => ({ id, name, deprecated });
export const oracleCatalog = {
  builtIn: smallCatalog.tools().map(oracleItemOf),
  platformPrompts: smallCatalog.prompts().map(oracleItemOf),
};
/** Ids that can be selected and named in a policy. */
export const toolIds: string[] = runnable.map(({ id }) => id);
export const promptIds: string[] = oracleCatalog.platformPrompts
  .filter(({ deprecated }) => !deprecated)
  .map(({ id }) => id);

/** Environment for several gateways of one service, with limits too high for a trial to reach. */
export const manyGateways = {
  PUBLIC_URL: 'http://localhost:7070',
  TRUSTED_PROXIES: '127.0.0.0/8',
  PLANS_FILE: new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname,
};

const systemArguments: Readonly<Record<string, object>> = {
  setup: { client: 'other' },
  bootstrap: { primary_agent: true },
  agent_context: { name: 'nobody', components: [] },
};

/** Returns arguments for a platform prompt; any text is valid. */
export const promptArguments = (name: string): object =>
  Object.fromEntries(
    (smallCatalog.prompts().find((one) => one.name === name)?.arguments ?? []).map((argument) => [
      argument.name,
      'it',
    ]),
  );

/** Returns valid arguments of a tool, so that an admitted call succeeds. */
export function argumentsOf(name: string): object {
  // Some names intentionally belong to no tool.
  const [example] = smallCatalog.tools().find((tool) => tool.name === name)?.examples ?? [];
  return example?.arguments ?? systemArguments[name] ?? {};
}

/** Returns the outcome of a call in the oracle's terms; throws on any other response. */
export async function callAt(
  gateway: Gateway,
  secret: string,
  name: string,
): Promise<OracleOutcome> {
  const { status, body } = await ask(`${gateway.url}/mcp`, { 'x-api-key': secret }, 'tools/call', {
    name,
    arguments: argumentsOf(name),
  });
  if (status === 401) return 'unauthenticated';
  if (body.error?.code === -32601) return 'method_not_found';
  const code = body.result?.structuredContent.error?.code;
  if (code === 'capability_denied' || code === 'tool_not_permitted') return code;
  if (status === 200 && body.error === undefined && body.result.isError !== true) return 'runs';
  throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
}

/** Creates an account that commands act on, through any gateway. */
export async function createActor(world: World, gateway: Gateway) {
  const account = await signUp(world, gateway);

  async function requireStatus<Body>(
    target: Gateway,
    expected: number,
    request: Omit<SendRequest, 'headers'>,
  ) {
    const person = createPerson(target.url, account.person.address);
    const { status, body } = await person.ask<Body>({ ...request, headers: account.bearer });
    if (status !== expected) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  return {
    ...account,
    select: (target: Gateway, ids: readonly string[]) =>
      requireStatus(target, 200, {
        method: 'PUT',
        path: '/api/me/mcp-settings',
        body: { tools: ids, platform_prompts: [] },
      }),
    createKey: (target: Gateway, fields: KeyFields) =>
      requireStatus<{ id: string; secret: string }>(target, 201, {
        path: '/api/keys',
        body: { name: `key ${randomUUID()}`, ...fields },
      }),
    edit: (target: Gateway, id: string, fields: Partial<KeyFields>) =>
      requireStatus(target, 200, { method: 'PATCH', path: `/api/keys/${id}`, body: fields }),
    revoke: (target: Gateway, id: string) =>
      requireStatus(target, 204, { method: 'DELETE', path: `/api/keys/${id}` }),
  };
}
export type Actor = Awaited<ReturnType<typeof createActor>>;

export interface KeyFields {
  mcp_capabilities: readonly string[];
  tool_policy: OraclePolicy;
  allowed_addresses?: readonly string[] | null;
}

export const anyTools = fc.subarray(toolIds);
export const anyCapabilities = fc.subarray(['tools', 'resources', 'prompts', 'agents']);
const listed = fc.subarray(toolIds, { minLength: 1 });
export const anyPolicy: fc.Arbitrary<OraclePolicy> = fc.oneof(
  fc.constant<OraclePolicy>({ mode: 'all' }),
  fc.record({ mode: fc.constantFrom('whitelist', 'blacklist'), tools: listed }),
);
