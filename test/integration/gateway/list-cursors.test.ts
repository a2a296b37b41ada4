import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { isPageQuery } from '../../../src/platform/http/pages.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { createKey, goodPassword, ownAddresses, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const CATALOG = '/api/catalog/tools';

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway);
const cursor = await cursorOf(CATALOG, ada.bearer);
type Headers = Record<string, string>;

async function ask(path: string, headers: Headers) {
  const answer = await fetch(gateway.url + path, { headers });
  const body = (await answer.json()) as {
    next_cursor?: string | null;
    errors?: { code: string }[];
  };
  return { status: answer.status, ...body };
}

async function cursorOf(path: string, headers: Headers): Promise<string> {
  const { next_cursor } = await ask(`${path}?limit=1`, headers);
  if (!next_cursor) throw new Error(`${path} has only one page`);
  return next_cursor;
}

/** Returns the outcome of asking for the next page of a list. */
async function outcome(path: string, headers: Headers, after = cursor) {
  const { status, errors = [] } = await ask(`${path}?cursor=${after}`, headers);
  return [path, status, ...errors.map(({ code }) => code)];
}

/** Returns the paths of all lists with pages. */
async function readLists(): Promise<string[]> {
  return (await declaredRoutes())
    .filter(({ method, query }) => method === 'GET' && isPageQuery(query))
    .map(({ path }) => path);
}

test('the cursor of one list is refused by every other list', async () => {
  const lists = await readLists();
  expect(lists.length).toBeGreaterThan(30);

  for (const path of lists) {
    const named = path.replaceAll(/\{\w+\}/g, randomUUID());
    const expected = path === CATALOG ? [200] : [400, 'invalid_cursor'];
    expect(await outcome(named, ada.bearer)).toEqual([named, ...expected]);
  }
});

test('the cursor of one organization is refused by the same list of another', async () => {
  await world.query("UPDATE account SET plan = 'pro' WHERE id = $1", [ada.account_id]);
  const [acme, globex] = [await createOrganization(ada), await createOrganization(ada)];
  const listOf = ({ id }: { id: string }) => `/api/organizations/${id}/catalog/tools`;
  const after = await cursorOf(listOf(acme), ada.bearer);

  expect(await outcome(listOf(globex), ada.bearer, after)).toEqual([
    ...[listOf(globex), 400, 'invalid_cursor'],
  ]);
  const sameId = listOf({ id: acme.id.toUpperCase() });
  expect(await outcome(sameId, ada.bearer, after)).toEqual([sameId, 200]);
});

test('a cursor belongs to the person of a session, or to the key', async () => {
  const eve = await signUp(world, gateway, 'eve');
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }];
  const keys = [await createKey(ada, { grants }), await createKey(ada, { grants })];
  const [first, second] = keys.map(({ secret }) => ({ 'x-api-key': secret }));
  const signedIn = await ada.person.ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email: ada.email, password: goodPassword },
  });
  const refused = [CATALOG, 400, 'invalid_cursor'];

  const again = { authorization: `Bearer ${signedIn.body.access_token}` };
  expect(await outcome(CATALOG, again)).toEqual([CATALOG, 200]);
  expect(await outcome(CATALOG, eve.bearer)).toEqual(refused);
  expect(await outcome(CATALOG, first!)).toEqual(refused);
  const ofKey = await cursorOf(CATALOG, first!);
  expect(await outcome(CATALOG, first!, ofKey)).toEqual([CATALOG, 200]);
  expect(await outcome(CATALOG, second!, ofKey)).toEqual(refused);
  expect(await outcome(CATALOG, ada.bearer, ofKey)).toEqual(refused);
});

test('the id of an item is not a cursor, and reveals nothing', async () => {
  const [tool] = ((await ask(CATALOG, ada.bearer)) as unknown as { data: { id: string }[] }).data;
  for (const forged of [tool!.id, randomUUID(), 'x', `${cursor}A`])
    expect(await outcome(CATALOG, ada.bearer, forged)).toEqual([CATALOG, 400, 'invalid_cursor']);
});
