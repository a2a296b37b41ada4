import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closureOf, restAccess } from '../../oracle/grants.ts';
import { createPerson } from '../../support/people/people.ts';
import { ITEM_FAMILIES, anyPermissions, pool } from '../../support/worlds/worlds.ts';
import type { ItemFamily } from '../../support/worlds/worlds.ts';
import type { BuiltWorld, CreatedKey } from './built-world.ts';
import { contentOf, itemPath } from './item-content.ts';
import { createStage, twins } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const stage = await closeAfterTests(createStage(1));

/** A request that changes nothing that other requests read, and the access that it needs. */
interface Action {
  need: string;
  method: string;
  path: string;
  body?: object;
}

const fixedActions: readonly Action[] = [
  { need: 'any grant', method: 'GET', path: '/api/catalog/tools' },
  { need: 'can_view_tools', method: 'GET', path: '/api/me/tools/scopable' },
  { need: 'can_view_tools', method: 'GET', path: '/api/me/custom-tools/scopable' },
  { need: 'can_view_prompts', method: 'GET', path: '/api/me/prompts/scopable' },
  { need: 'any grant', method: 'GET', path: '/api/catalog/prompts' },
  { need: 'interactive', method: 'POST', path: '/api/keys/preview', body: {} },
  { need: 'can_view_usage', method: 'GET', path: '/api/me/usage' },
  { need: 'can_view_dashboard', method: 'GET', path: '/api/me/dashboard' },
  { need: 'can_update_settings', method: 'PATCH', path: '/api/me/settings', body: {} },
  { need: 'interactive', method: 'GET', path: '/api/me/audit' },
  { need: 'no key', method: 'GET', path: '/api/me/mcp-settings' },
  {
    ...{ need: 'no key', method: 'PUT', path: '/api/me/mcp-settings' },
    body: { tools: [], platform_prompts: [] },
  },
  { need: 'interactive', method: 'GET', path: '/api/keys' },
  { need: 'interactive', method: 'POST', path: '/api/keys', body: {} },
  { need: 'interactive', method: 'GET', path: `/api/keys/${randomUUID()}` },
  { need: 'interactive', method: 'POST', path: '/api/auth/logout', body: {} },
  { need: 'interactive', method: 'PATCH', path: '/api/user/profile', body: {} },
  { need: 'interactive', method: 'DELETE', path: '/api/user/account', body: {} },
];

/** Returns the requests that are possible for the items of one family. */
async function actionsOn(built: BuiltWorld, family: ItemFamily): Promise<Action[]> {
  const [gateway] = stage.gateways;
  const path = itemPath(family);
  const { marker } = built.tenants[0]!;
  const contentFor = (name: string) =>
    contentOf(family, { name, marker, components: [], upstream: stage.upstream });
  const [item] = built.oracleWorld.accounts[0]![family];
  const spare = await built.requireStatus<{ id: string }>(gateway, 0, 201, {
    path,
    body: contentFor(`spare-${randomUUID().slice(0, 8)}`),
  });
  return [
    { need: `can_view_${family}`, method: 'GET', path },
    { need: `can_view_${family}`, method: 'GET', path: `${path}/${item!.id}` },
    { need: `can_view_${family}`, method: 'GET', path: `${path}/${item!.id}/versions` },
    // With the permission, the response is that the name is taken (409).
    { need: `can_create_${family}`, method: 'POST', path, body: contentFor(pool[family][0]!) },
    { need: `can_update_${family}`, method: 'PATCH', path: `${path}/${item!.id}`, body: {} },
    { need: `can_delete_${family}`, method: 'DELETE', path: `${path}/${spare.id}` },
  ];
}

const ALLOWED = new Set([200, 201, 204, 409]);

/** Returns the outcome of an action with a key, in the oracle's terms. */
async function access({ secret }: CreatedKey, { method, path, body }: Action) {
  const person = createPerson(stage.gateways[1].url);
  const headers = { 'x-api-key': secret };
  const send = () =>
    person.ask<{ errors?: { detail: unknown }[] }>({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  let response = await send();
  // Many uncached requests at once may get a 503, which is not a decision.
  for (let tries = 1; response.status === 503 && tries < 10; tries += 1) response = await send();
  const { status } = response;
  if (ALLOWED.has(status)) return 'ok';
  if (status === 401 || status === 403) return status;
  throw new Error(`${method} ${path}: ${status} ${JSON.stringify(response.body)}`);
}

test(
  'a grant and its closure allow exactly the endpoints that the oracle allows (G1, G6, P18)',
  async () => {
    const [gateway] = stage.gateways;
    await stage.inWorld(twins(1), async (built) => {
      await checkProperty(
        6,
        fc.asyncProperty(anyPermissions, async (permissions) => {
          const closure = permissions === null ? null : [...closureOf(permissions)];
          const key = { who: 0, capabilities: [], policies: {}, defaultAgent: null };
          const plain = await built.create(gateway, { ...key, permissions });
          const closed = await built.create(gateway, { ...key, permissions: closure });
          const actions = [...fixedActions];
          for (const family of ITEM_FAMILIES) actions.push(...(await actionsOn(built, family)));

          const attempts = actions.map(async (action) => {
            const label = `${action.method} ${action.path} with ${permissions?.join(' ')}`;
            // Only the first allowed deletion finds the item.
            const isOnce = action.method === 'DELETE';
            const decided = isOnce ? null : await access(closed, action);
            const outcome = await access(plain, action);
            expect(outcome, label).toBe(restAccess(true, plain.oracle, action.need));
            if (!isOnce) expect(decided, `${label}, and what it implies`).toBe(outcome);
          });
          await Promise.all(attempts);
        }),
      );
    });
  },
  scaledTimeout(60_000),
);
