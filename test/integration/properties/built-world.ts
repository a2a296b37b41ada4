import { randomUUID } from 'node:crypto';
import { reached } from '../../oracle/reach.ts';
import type { OracleItem, OracleKey, OracleWorld } from '../../oracle/world.ts';
import { createPerson, signUp } from '../../support/people/people.ts';
import type { Answer, SendRequest, SignedUp } from '../../support/people/people.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { ITEM_FAMILIES } from '../../support/worlds/worlds.ts';
import type { AccountPlan, Command, ItemFamily } from '../../support/worlds/worlds.ts';
import type { ItemPlan, KeyPlan, WorldPlan } from '../../support/worlds/worlds.ts';
import { bodyOf, conditionIn, draftOf, findItem } from './drafts.ts';
import type { DraftAccount } from './drafts.ts';
import { contentOf, itemPath } from './item-content.ts';

/** An account that worlds are built in repeatedly. */
export interface Tenant extends SignedUp {
  /** A text in everything that belongs to the account. */
  marker: string;
}

export async function createTenant(world: World, gateway: Gateway): Promise<Tenant> {
  return { ...(await signUp(world, gateway)), marker: `marker-${randomUUID()}` };
}

export interface CreatedKey {
  id: string;
  secret: string;
  oracle: OracleKey;
}

const TRIES = 10;

type RequestFields = Omit<SendRequest, 'headers'>;

/** Creates the same world in the service, over REST, and in the oracle. */
export function createBuiltWorld(
  tenants: readonly Tenant[],
  builtInItems: Pick<OracleWorld, 'builtIn' | 'platformPrompts'>,
  upstream: string,
) {
  const accounts: DraftAccount[] = [];
  const oracleWorld: OracleWorld = { ...builtInItems, accounts };
  const keys: CreatedKey[] = [];
  const marks = new Map<string, string>();

  function send<Body>(
    gateway: Gateway,
    who: number,
    request: RequestFields,
  ): Promise<Answer<Body>> {
    const { person, bearer } = tenants[who]!;
    return createPerson(gateway.url, person.address).ask<Body>({ ...request, headers: bearer });
  }

  async function requireStatus<Body>(
    gateway: Gateway,
    who: number,
    expected: number,
    request: RequestFields,
  ) {
    let { status, body } = await send<Body>(gateway, who, request);
    // A 503 saved nothing, so it can be retried.
    for (let tries = 1; status === 503 && tries < TRIES; tries += 1)
      ({ status, body } = await send<Body>(gateway, who, request));
    if (status === expected) return body;
    throw new Error(`${JSON.stringify(request)}: ${status} ${JSON.stringify(body)}`);
  }

  async function add(gateway: Gateway, who: number, { family, name, conditions }: ItemPlan) {
    // Name conflicts are covered by other tests.
    if (findItem(accounts[who]!, family, name) !== undefined) return;
    const components = conditions.map((condition, index) => ({
      name: `part_${index}`,
      when: conditionIn(accounts[who]!, condition),
    }));
    const { marker } = tenants[who]!;
    const mark = `mark-${randomUUID()}`;
    const body = contentOf(family, { name, marker, mark, components, upstream });
    const { id } = await requireStatus<OracleItem>(gateway, who, 201, {
      path: itemPath(family),
      body,
    });
    marks.set(id, mark);
    accounts[who]![family].push({ id, name, components });
  }

  async function remove(gateway: Gateway, who: number, family: ItemFamily, name: string) {
    const item = findItem(accounts[who]!, family, name);
    if (item === undefined) return;
    await requireStatus(gateway, who, 204, {
      method: 'DELETE',
      path: `${itemPath(family)}/${item.id}`,
    });
    accounts[who]![family] = accounts[who]![family].filter((one) => one !== item);
  }

  async function rename(gateway: Gateway, one: Extract<Command, { does: 'rename' }>) {
    const { who, family, name, to } = one;
    const item = findItem(accounts[who]!, family, name);
    if (item === undefined || findItem(accounts[who]!, family, to) !== undefined) return;
    const path = `${itemPath(family)}/${item.id}`;
    const body = { [family === 'resources' ? 'path' : 'name']: to };
    await requireStatus(gateway, who, 200, { method: 'PATCH', path, body });
    item.name = to;
  }

  async function select(
    gateway: Gateway,
    who: number,
    { tools, prompts }: AccountPlan['selected'],
  ) {
    const body = { tools, platform_prompts: prompts };
    await requireStatus(gateway, who, 200, { method: 'PUT', path: '/api/me/mcp-settings', body });
    accounts[who]!.selected = new Set([...tools, ...prompts]);
  }

  /** Returns whether the key reaches its default agent; otherwise the request is refused (K2). */
  const isAssignable = (key: OracleKey) =>
    key.defaultAgent === null ||
    reached(oracleWorld, key, 'agents').some(({ id }) => id === key.defaultAgent);

  async function create(gateway: Gateway, plan: KeyPlan): Promise<CreatedKey> {
    const account = plan.who % accounts.length;
    const emptyPlan = { capabilities: [], permissions: null, policies: {}, defaultAgent: null };
    const unplanned = { ...emptyPlan, member: null, teams: null };
    let oracle = draftOf(accounts[account]!, plan, { account, revoked: false, ...unplanned });
    const post = (expected: number) => {
      const body = { name: `key ${randomUUID()}`, ...bodyOf(oracle, plan) };
      return requireStatus<Pick<CreatedKey, 'id' | 'secret'>>(gateway, account, expected, {
        path: '/api/keys',
        body,
      });
    };
    if (!isAssignable(oracle)) {
      await post(422);
      oracle = { ...oracle, defaultAgent: null };
    }
    const { id, secret } = await post(201);
    const createdKey = { id, secret, oracle };
    keys.push(createdKey);
    return createdKey;
  }

  async function change(gateway: Gateway, createdKey: CreatedKey, plan: Partial<KeyPlan>) {
    const after = draftOf(accounts[createdKey.oracle.account]!, plan, createdKey.oracle);
    const isRefused = after.defaultAgent !== createdKey.oracle.defaultAgent && !isAssignable(after);
    const path = `/api/keys/${createdKey.id}`;
    const body = bodyOf(after, plan);
    await requireStatus(gateway, after.account, isRefused ? 422 : 200, {
      method: 'PATCH',
      path,
      body,
    });
    if (!isRefused) createdKey.oracle = after;
  }

  async function revoke(gateway: Gateway, createdKey: CreatedKey) {
    if (createdKey.oracle.revoked) return;
    const path = `/api/keys/${createdKey.id}`;
    await requireStatus(gateway, createdKey.oracle.account, 204, { method: 'DELETE', path });
    createdKey.oracle = { ...createdKey.oracle, revoked: true };
  }

  /** Runs a command; returns the index of the account it affected. */
  async function runScenario(one: Command, gateway: Gateway): Promise<number> {
    if (one.does === 'create') return (await create(gateway, one.key)).oracle.account;
    if (one.does === 'change' || one.does === 'revoke') {
      const createdKey = keys[one.key % keys.length]!;
      if (one.does === 'revoke') await revoke(gateway, createdKey);
      else if (!createdKey.oracle.revoked) await change(gateway, createdKey, one.change);
      return createdKey.oracle.account;
    }
    const who = one.who % accounts.length;
    if (one.does === 'select') await select(gateway, who, one.selected);
    else if (one.does === 'add') await add(gateway, who, one.item);
    else if (one.does === 'remove') await remove(gateway, who, one.family, one.name);
    else await rename(gateway, { ...one, who });
    return who;
  }

  async function build(gateway: Gateway, plan: WorldPlan) {
    await Promise.all(
      plan.accounts.map(async ({ selected, items }, who) => {
        const noItems = { tools: [], prompts: [], resources: [], agents: [] };
        accounts[who] = { active: true, selected: new Set(), ...noItems };
        await select(gateway, who, selected);
        for (const item of items) await add(gateway, who, item);
      }),
    );
    for (const key of plan.keys) await create(gateway, key);
  }

  /** Removes everything the world has created. */
  async function end(gateway: Gateway) {
    for (const createdKey of keys) await revoke(gateway, createdKey);
    await Promise.all(
      accounts.map(async (account, who) => {
        await select(gateway, who, { tools: [], prompts: [] });
        for (const family of ITEM_FAMILIES)
          for (const { name } of account[family]) await remove(gateway, who, family, name);
      }),
    );
  }

  const idsOf = (who: number) => [
    ...ITEM_FAMILIES.flatMap((family) => accounts[who]![family].map(({ id }) => id)),
    ...keys.filter(({ oracle }) => oracle.account === who).map(({ id }) => id),
  ];

  return {
    oracleWorld,
    accounts,
    keys,
    marks,
    tenants,
    send,
    requireStatus: requireStatus,
    build,
    runScenario,
    create,
    change,
    idsOf,
    end,
  };
}
export type BuiltWorld = ReturnType<typeof createBuiltWorld>;
