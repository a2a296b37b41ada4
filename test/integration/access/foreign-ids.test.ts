import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memberRoutes, organizationRoutes } from '../../support/access/organization-routes.ts';
import { everyTeam, names } from '../../support/access/permissions.ts';
import type { Row } from '../../support/access/table.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { createAcme } from './acme.ts';
import type { Acme } from './acme.ts';
import { createHolders } from './holders.ts';
import type { Holders } from './holders.ts';
import type { Caller } from './matrix.ts';
import { createForeignIds } from './other-organization.ts';
import type { Foreign } from './other-organization.ts';
import { requestOf } from './requests.ts';

let acme: Acme;
let holders: Holders;
let foreign: Foreign;
beforeAll(async () => {
  acme = await createAcme();
  holders = await createHolders(acme);
  foreign = await createForeignIds(acme);
}, 300_000);
afterAll(() => acme?.close());

const BASE = '/api/organizations/{organization_id}';
/** The last parameter of a path that is an id; for a link to an account, that of the connection. */
const LAST_ID = /\{(\w+)\}(?!.*\{(?!version))|\{(\w+)\}(?=\/links\/)/;

interface Asked {
  status: number;
  text: string;
}

/** Sends a row's request with these ids in its path; retries a 503. */
async function send(row: Row, caller: Caller, ids: Record<string, string>): Promise<Asked> {
  const { body, headers, path } = requestOf(acme, row, caller.person);
  const all: Record<string, string> = {
    ...acme.ids,
    ...{ organization_id: acme.acme, team_id: acme.red, version: '1' },
    account_id: acme.ids['noa']!,
    ...ids,
  };
  const [, query = ''] = path.split('?');
  const filled = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => all[name] ?? 'x');
  for (;;) {
    const response = await fetch(`${acme.gateway.url}${filled}${query === '' ? '' : `?${query}`}`, {
      method: row.method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...caller.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== 503) return { status: response.status, text };
  }
}

type Ids = Record<string, string>;
/** Existing ids of objects that do not belong under the path, and random ids. */
interface Cases {
  foreign: readonly Ids[];
  random: Ids;
}

/** Returns the cases for the id of an item, a member, a role, a key or an invitation. */
function belowPlace(row: Row, { person }: Caller): Cases {
  const [, last, parent] = LAST_ID.exec(row.path)!;
  const name = (last ?? parent)!;
  const relative = row.path.slice(BASE.length);
  const list = relative.slice(0, relative.search(LAST_ID) - 1);
  const [, space = '', family = ''] = CONTENT.exec(list) ?? [];
  const own = { '': 'catalog', '/me': `${person} me`, '/teams/{team_id}': 'red' }[space]!;
  const ids =
    foreign.lists[list] ??
    Object.entries(foreign.byFamily[family]!).flatMap(([place, id]) => (place === own ? [] : id));
  return { foreign: ids.map((id) => ({ [name]: id })), random: { [name]: randomUUID() } };
}
const CONTENT = /^(|\/me|\/teams\/\{team_id\})\/([\w-]+)$/;

/** Returns the cases for the id of a team, with ids of objects in the teams. */
function inTeams({ path }: Row): Cases {
  const [, family = ''] = /\{team_id\}\/([\w-]+)/.exec(path) ?? [];
  const idsInBlue = { id: foreign.byFamily[family]?.['blue'] ?? 'x', ...foreign.inBlue };
  return {
    foreign: foreign.teams.map((team_id) => ({ ...idsInBlue, team_id })),
    random: { ...idsInBlue, team_id: randomUUID() },
  };
}

/**
 * Compares the responses to foreign ids with the one to a random id, byte for byte; a session must
 * get 404. Returns the differences.
 */
async function differences(
  rows: readonly Row[],
  callers: readonly Caller[],
  casesOf: (row: Row, caller: Caller) => Cases,
) {
  const found: string[] = [];
  const queue = rows.values();
  async function work() {
    for (const row of queue)
      for (const caller of callers) {
        const cases = casesOf(row, caller);
        const absent = await send(row, caller, cases.random);
        if (caller.kind === 'session' && absent.status !== 404)
          found.push(`${row.route} as ${caller.name}: ${absent.status} for a random id`);
        for (const ids of cases.foreign) {
          const { status, text } = await send(row, caller, ids);
          if (status !== absent.status || text !== absent.text)
            found.push(`${row.route} as ${caller.name}: ${status} ${text}, not ${absent.text}`);
        }
      }
  }
  await Promise.all(Array.from({ length: 8 }, work));
  return found.toSorted();
}

const rows = [...organizationRoutes, ...memberRoutes, ...teamRoutes].filter(({ path }) =>
  /\{(?!organization_id|team_id|version)/.test(path),
);

test('below an organization, an id of another organization, team or space gets the response of a random id (rel:B9-1)', async () => {
  const { main } = await holders.withEverything();

  expect(rows.length).toBeGreaterThan(100);
  expect(await differences(rows, main, belowPlace)).toEqual([]);
}, 300_000);

test('a team of another organization, and one that a caller is not in, gets the response of a random id (rel:B9-1)', async () => {
  await holders.inTeam(names.team);
  const { main } = await holders.inOrganization(
    names.organization.filter((name) => name !== everyTeam),
  );

  // With the permission to see all teams, the record of a team is visible.
  const inside = teamRoutes.filter(({ needs }) => needs !== 'seat');
  expect(await differences(inside, main, inTeams)).toEqual([]);
}, 300_000);

test('an organization that a caller has no access to gets the response of a random id, on every route (rel:B9-1)', async () => {
  const { owner, stranger } = acme.people;
  const none = { person: 'owner', personal: null, organization: null, inTeam: false } as const;
  const callers: Caller[] = [
    { ...none, teams: [], kind: 'session', name: 'a stranger', headers: stranger.bearer },
    {
      ...none,
      teams: [],
      kind: 'key',
      name: 'a key without a grant',
      ...(await acme.keyOf(owner, {})),
    },
  ];
  const all = [...organizationRoutes, ...memberRoutes, ...teamRoutes];

  const cases = { foreign: [acme.ids], random: { ...acme.ids, organization_id: randomUUID() } };
  expect(await differences(all, callers, () => cases)).toEqual([]);
}, 300_000);
