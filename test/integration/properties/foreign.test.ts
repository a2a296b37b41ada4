import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { createPerson, newEmail } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { ITEM_FAMILIES, pool } from '../../support/worlds/worlds.ts';
import { toolIds } from './agents-reach.ts';
import { bodies, messages } from './foreign-probes.ts';
import type { Names, Probe } from './foreign-probes.ts';
import { itemPath } from './item-content.ts';
import { createStage, twins } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';

/** Account data that no other account may read. */
interface AccountData {
  ids: string[];
  email: string;
  name: string;
  markers: string[];
  credentials: Record<string, string>[];
  /** Ids by the path of the list that contains them. */
  idsByList: Record<string, string[]>;
}

const permissions = ['tools', 'prompts', 'resources', 'agents'].map((noun) => `can_update_${noun}`);
const grants = [{ scope: { type: 'personal' }, permissions }];

const stage = await closeAfterTests(createStage(2));
const [gateway] = stage.gateways;
const built = await stage.buildWorld(twins(2));
const [ada, bob] = [await createAccountData(0), await createAccountData(1)];
const operations: { method: string; path: string }[] = await declaredRoutes();

/**
 * Creates the data of an account. Two accounts have the same item names, except for one item of
 * each family, and differ in the markers that must not leak.
 */
async function createAccountData(who: number): Promise<AccountData> {
  const { account_id, email, bearer, access_token, marker } = stage.tenants[who]!;
  // One item of each family has a name unique to the account.
  const name = `own-${randomUUID().slice(0, 8)}`;
  for (const family of ITEM_FAMILIES) {
    const item = { family, name, conditions: [] };
    await built.runScenario({ does: 'add', who, item }, gateway);
  }
  const create = (fields: object) =>
    built.requireStatus<{ id: string; secret: string }>(gateway, who, 201, {
      path: '/api/keys',
      body: { mcp_capabilities: ['tools', 'agents', 'prompts', 'resources'], ...fields },
    });
  const plain = await create({ name: 'the same name' });
  const granted = await create({ name: marker, grants });
  const sessions = await stage.world.query<{ id: string }>(
    'SELECT id FROM account_session WHERE account_id = $1',
    [account_id],
  );
  const keys = [plain.id, granted.id];
  const ids = [account_id, ...keys, ...sessions.map(({ id }) => id), ...built.idsOf(who)];
  const secrets = [plain.secret, granted.secret].map((secret) => secret.replace(/^sk_/, ''));
  return {
    ids,
    email,
    name,
    markers: [...ids, email, marker, name, ...secrets, access_token],
    idsByList: Object.fromEntries([
      ['/api/keys', keys],
      ...ITEM_FAMILIES.map((family) => [
        itemPath(family),
        built.oracleWorld.accounts[who]![family].map((item) => item.id),
      ]),
    ]),
    credentials: [bearer, { 'x-api-key': plain.secret }, { 'x-api-key': granted.secret }, {}],
  };
}

/** Returns the ids that exist under the probe's path, or all ids if the path has none. */
function idsFor(probeFor: (names: Names) => Probe, { ids, idsByList }: AccountData): string[] {
  const { path } = probeFor({ id: '{id}', email: '', name: '' });
  return idsByList[path.split('/{id}')[0]!] ?? ids;
}

/** Sends a probe; returns the response without per-request headers. */
async function sendProbe(probe: Probe) {
  const { address } = createPerson(gateway.url);
  const response = await fetch(`${gateway.url}${probe.path}`, {
    method: probe.method,
    headers: {
      'x-forwarded-for': address,
      ...(probe.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...probe.headers,
    },
    ...(probe.body === undefined ? {} : { body: JSON.stringify(probe.body) }),
  });
  const headers = [...response.headers].filter(
    ([name]) => name !== 'date' && name !== 'x-request-id',
  );
  return { status: response.status, headers, body: await response.text() };
}

const serialize = (response: Awaited<ReturnType<typeof sendProbe>>) => JSON.stringify(response);
const leaks = (text: string, { markers }: AccountData) =>
  markers.filter((marker) => text.toLowerCase().includes(marker.toLowerCase()));

// The system tools, the catalog's tools, the account's own and the one with a unique name.
const LISTED_TOOLS = 3 + toolIds.length + pool.tools.length + 1;

const REQUEST_SPECIFIC = /^\/api\/me\/(calls|dashboard|audit|usage)/;

/** Returns an unused id that sorts in the same place as the given one. */
const unusedIdLike = (id: string) => `${id.slice(0, 24)}${randomUUID().slice(24)}`;

/** Generates probes of all documented endpoints, with an identifier in the path, query and body. */
const restProbe = fc
  .record({
    operation: fc.nat(),
    hasCursor: fc.boolean(),
    body: fc.nat({ max: bodies.length - 1 }),
  })
  .map(({ operation, hasCursor, body }) => (names: Names): Probe => {
    const { method, path } = operations[operation % operations.length]!;
    const named = path.replaceAll(/\{\w+\}/g, names.id);
    return {
      method,
      path: hasCursor ? `${named}?cursor=${names.id}` : named,
      headers: {},
      body: method === 'GET' ? undefined : bodies[body]!(names),
    };
  });
const probes = fc.oneof({ weight: 3, arbitrary: restProbe }, fc.constantFrom(...messages));

test('an account reads its own markers, so that a leak would be detected (P1)', async () => {
  const [headers] = bob.credentials;
  const own = serialize(await sendProbe({ method: 'GET', path: '/api/keys', headers: headers! }));
  const profile = serialize(
    await sendProbe({ method: 'GET', path: '/api/user/profile', headers: headers! }),
  );

  expect(leaks(own + profile, bob)).toEqual(expect.arrayContaining(bob.ids.slice(0, 3)));
  expect(leaks(own + profile, ada)).toEqual([]);
});

test(
  'no response contains data of another account, whose ids get the same responses as unused ones (P1, P3)',
  async () => {
    const anyId = fc.nat();
    const anyCredential = fc.nat();
    let allResponses = '';
    await checkProperty(
      400,
      fc.asyncProperty(probes, anyId, anyCredential, async (probeFor, whichId, whichCredential) => {
        const ids = idsFor(probeFor, bob);
        const id = ids[whichId % ids.length]!;
        const credential = ada.credentials[whichCredential % ada.credentials.length]!;
        const foreignNames = { id, email: bob.email, name: bob.name };
        const probe = probeFor(foreignNames);
        // Signing out would make all further trials meaningless.
        fc.pre(probe.path !== '/api/auth/logout');
        const response = await sendProbe({
          ...probe,
          headers: { ...probe.headers, ...credential },
        });
        const sent = JSON.stringify(probe);
        allResponses += sent;
        // These endpoints return the account's own requests, with any foreign identifiers in them.
        const own = REQUEST_SPECIFIC.test(probe.path) ? allResponses : sent;
        const leaked = leaks(serialize(response), bob).filter((marker) => !own.includes(marker));
        expect(leaked, sent).toEqual([]);

        const unusedNames = {
          id: unusedIdLike(id),
          email: newEmail(),
          name: `own-${randomUUID().slice(0, 8)}`,
        };
        const unusedProbe = probeFor(unusedNames);
        const other = await sendProbe({
          ...unusedProbe,
          headers: { ...unusedProbe.headers, ...credential },
        });
        // A successful response contains Ada's own data, which other trials change.
        if (response.status < 300 && probe.path !== '/mcp') return;
        const withoutNames = (answer: string, names: Names) =>
          answer.replaceAll(names.id, 'ID').replaceAll(names.name, 'NAME');
        expect(withoutNames(serialize(response), foreignNames), sent).toBe(
          withoutNames(serialize(other), unusedNames),
        );
      }),
    );
  },
  scaledTimeout(60_000),
);

test('no request of one account changed data of the other (P1)', async () => {
  const [session, key] = bob.credentials;
  const list = await sendProbe({ method: 'GET', path: '/api/keys', headers: session! });
  const listTools = messages[0]!({ id: '', email: '', name: '' });
  const tools = await sendProbe({ ...listTools, headers: { ...listTools.headers, ...key } });

  expect(leaks(serialize(list), bob)).toEqual(expect.arrayContaining(bob.ids.slice(1, 3)));
  expect(tools.body.match(/"inputSchema"/g)).toHaveLength(LISTED_TOOLS);
});
