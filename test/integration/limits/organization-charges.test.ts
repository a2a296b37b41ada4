import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { managementEntries } from '../../../src/mcp/management/entries.ts';
import { askAs, createRole } from '../../support/people/organizations.ts';
import { selectTools } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeamsWorld } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';
import { toolId } from '../mcp/key-holder.ts';
import { create } from '../organizations/content-items.ts';
import { CAPABILITIES, createAgent } from '../organizations/union.ts';

const MINUTE = 3;
const MONTH = 10;
const many = 1_000_000;

// Few calls a minute on one plan, few calls a month on the next; a third one has enough of both.
const unlimited = { minute: many, hour: many, day: many, month: many };
const plans = {
  free: { tool_calls: { ...unlimited, minute: MINUTE }, content_reads: { minute: MINUTE } },
  pro: { tool_calls: { ...unlimited, month: MONTH }, content_reads: { minute: many } },
};

let teams: TeamsWorld;
const folder = mkdtempSync(join(tmpdir(), 'toolgate-plans-'));
beforeAll(async () => {
  const PLANS_FILE = join(folder, 'plans.json');
  writeFileSync(PLANS_FILE, JSON.stringify(plans));
  teams = await createTeamsWorld({ PLANS_FILE });
});
afterAll(async () => {
  await teams?.close();
  rmSync(folder, { recursive: true });
});

const setPlan = (id: string, plan: 'pro' | 'enterprise') =>
  teams.gateway.service.organizations.setPlan(id, plan);

const createPrompt = managementEntries.find(({ tool }) => tool.name === 'create_prompt')!.tool.id;

/** Creates an organization with content and two people, each with keys there and a personal one. */
async function createAcme(keysEach: number) {
  const { id, owner } = await teams.organization();
  const path = `/api/organizations/${id}`;
  const role = await createRole(owner, id, { name: 'Agents', capabilities: CAPABILITIES });
  const bob = await teams.join(id, 'bob', [role.id]);
  const tools = [toolId('calculator'), createPrompt];
  await askAs(owner, {
    ...{ method: 'PUT', path: `${path}/mcp-settings` },
    body: {
      ...{ tools, organization_wide_tools: tools },
      ...{ platform_prompts: [], organization_wide_prompts: [] },
    },
  });
  for (const family of ['prompts', 'resources'] as const) {
    await create(owner, path, family, { organization_wide: true });
    await create(bob, `${path}/me`, family);
    await create(bob, '/api/me', family);
  }
  const { create: createOnce } = scopedKeys(() => teams.gateway);
  const createKey = async (who: SignedUp, fields: object = {}, keysPath?: string) => {
    const draft = { mcp_capabilities: CAPABILITIES, ...fields };
    let created = await createOnce(who, draft, keysPath);
    // On a busy machine, some of so many changes to one account time out.
    while (created.status === 503) created = await createOnce(who, draft, keysPath);
    expect(created.status).toBe(201);
    return created.body.secret;
  };
  const usageOf = async (who: SignedUp) => {
    const keys = [];
    while (keys.length < keysEach) keys.push(await createKey(who, { org_scope: id }));
    await selectTools(who, ['calculator']);
    return { keys, personal: await createKey(who) };
  };
  const ofOwner = await usageOf(owner);
  const ofBob = await usageOf(bob);
  const createOwned = () => createKey(owner, {}, `${path}/keys`);
  return { id, path, owner, bob, ofOwner, ofBob, owned: await createOwned(), createOwned };
}

const calculate = (at: Gateway, secret: string) =>
  createAgent(at, secret).call('calculator', { expression: '1' });
/** Writes to the `me/` of a key's person with a tool. */
const writeOwn = (at: Gateway, secret: string) =>
  createAgent(at, secret).call('create_prompt', {
    ...{ space: 'me', name: `p_${randomUUID().slice(0, 8)}` },
    messages: [{ role: 'user', content: 'Hello.' }],
  });
const callSystemTool = (at: Gateway, secret: string) =>
  createAgent(at, secret).call('setup', { client: 'other' });
const readResource = (uri: string) => (at: Gateway, secret: string) =>
  createAgent(at, secret).read(uri);
const getPrompt = (name: string) => async (at: Gateway, secret: string) =>
  (await createAgent(at, secret).send('prompts/get', { name })).body;

type Use = (at: Gateway, secret: string) => ReturnType<typeof calculate>;

/** Lists the tools, which is free, so that decisions are cached before the calls. */
const warm = (at: Gateway, secret: string) =>
  expect
    .poll(async () => (await createAgent(at, secret).send('tools/list')).body.error)
    .toBeUndefined();

/** Runs all uses at once, alternating between two gateways; returns `ok` or the refusal of each. */
async function outcomesOf(uses: readonly (readonly [Use, string])[]): Promise<unknown[]> {
  const distributed = uses.map(([use, secret], index) => ({
    ...{ use, secret, at: index % 2 ? teams.otherGateway : teams.gateway },
  }));
  for (const { at, secret } of distributed) await warm(at, secret);
  return Promise.all(
    distributed.map(async ({ use, at, secret }) => {
      const { result, error } = await use(at, secret);
      return error ?? result.structuredContent?.error ?? 'ok';
    }),
  );
}

const wait = { retry_after_seconds: expect.any(Number) as number };
const isAllowed = (outcome: unknown) => outcome === 'ok';

test('fifty keys of two members and of the organization share one month; personal keys of the same people do not (P9)', async () => {
  const { id, path, owner, bob, ofOwner, ofBob, owned, createOwned } = await createAcme(24);
  const keys = [...ofOwner.keys, ...ofBob.keys, owned, await createOwned()];
  const calls = keys.map((secret) => [calculate, secret] as const);
  expect(new Set(keys).size).toBe(50);
  await setPlan(id, 'pro');

  const outcomes = await outcomesOf(calls);

  expect(outcomes.filter(isAllowed)).toHaveLength(MONTH);
  const limited = {
    ...{ code: 'rate_limited', message: expect.any(String) as string },
    details: { window: 'month', limit: MONTH, ...wait },
  };
  for (const refusal of outcomes.filter((one) => !isAllowed(one))) expect(refusal).toEqual(limited);
  const [ofTheirs, ofHis] = [ofOwner.keys[0]!, ofBob.keys[0]!];
  const everyone: (readonly [Use, string])[] = [
    ...[ofTheirs, ofHis, owned].map((secret) => [calculate, secret] as const),
    [writeOwn, ofHis],
  ];
  expect(await outcomesOf(everyone)).toEqual(everyone.map(() => limited));

  const own = [ofOwner.personal, ofBob.personal].map((secret) => [calculate, secret] as const);
  expect(await outcomesOf(own)).toEqual(['ok', 'ok']);
  const monthOf = async (who: SignedUp, usage: string) =>
    (await askAs<{ month: { used: number } }>(who, { path: usage })).body.month.used;
  expect(await monthOf(owner, `${path}/usage`)).toBe(MONTH);
  for (const who of [owner, bob]) expect(await monthOf(who, '/api/me/usage')).toBe(1);

  await setPlan(id, 'enterprise');
  expect(await outcomesOf(everyone)).toEqual(everyone.map(() => 'ok'));
});

// A new minute may begin in the meantime: at most two minutes' calls, fewer than separate limits
// allow.
const [min, max] = [MINUTE, 2 * MINUTE];

test.each<
  [string, string, (keys: { own: string; shared: string[] }) => (readonly [Use, string])[]]
>([
  [
    'calls',
    'tool',
    ({ own, shared }) => [
      ...shared.flatMap((secret) =>
        [calculate, callSystemTool].map((use) => [use, secret] as const),
      ),
      [writeOwn, own],
      [writeOwn, own],
    ],
  ],
  [
    'reads',
    'content',
    ({ own, shared }) => [
      ...shared.flatMap((secret) =>
        [getPrompt('guide'), readResource('toolgate://org/guide.md')].map(
          (use) => [use, secret] as const,
        ),
      ),
      [getPrompt('me/guide'), own],
      [readResource('toolgate://me/guide.md'), own],
    ],
  ],
])(
  '%s with keys of several people, of the organization and in `me/` share its %s window, until its plan is raised',
  async (_what, kind, usesOf) => {
    const { id, ofOwner, ofBob, owned } = await createAcme(2);
    const own = ofBob.keys[0]!;
    const uses = usesOf({ own, shared: [...ofOwner.keys, ...ofBob.keys, owned] });

    const outcomes = await outcomesOf(uses);

    const admitted = outcomes.filter(isAllowed).length;
    expect(admitted).toBeGreaterThanOrEqual(min);
    expect(admitted).toBeLessThanOrEqual(max);
    const details = { window: 'minute', limit: MINUTE, ...wait };
    for (const refusal of outcomes.filter((one) => !isAllowed(one)))
      expect(refusal).toMatchObject(
        kind === 'tool'
          ? { code: 'rate_limited', details }
          : { code: -32602, data: { code: 'rate_limited', ...details } },
      );
    const personal: (readonly [Use, string])[] =
      kind === 'tool'
        ? [ofOwner.personal, ofBob.personal].map((secret) => [calculate, secret] as const)
        : [
            [getPrompt('guide'), ofBob.personal],
            [readResource('toolgate://me/guide.md'), ofBob.personal],
          ];
    expect(await outcomesOf(personal)).toEqual(['ok', 'ok']);

    await setPlan(id, 'enterprise');
    expect(await outcomesOf(uses)).toEqual(uses.map(() => 'ok'));
  },
);
