import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAs } from '../../support/people/organizations.ts';
import { goodPassword, newEmail } from '../../support/people/people.ts';
import type { SendRequest } from '../../support/people/people.ts';
import { createAcme } from './acme.ts';
import type { Acme } from './acme.ts';
import { createForeignIds } from './other-organization.ts';
import type { Foreign } from './other-organization.ts';

let acme: Acme;
let foreign: Foreign;
beforeAll(async () => {
  acme = await createAcme();
  foreign = await createForeignIds(acme);
}, 300_000);
afterAll(() => acme?.close());

/** Returns the ids of a family in all spaces but the catalog of Acme. */
const itemsOf = (family: string) =>
  Object.entries(foreign.byFamily[family]!).flatMap(([space, id]) =>
    space === 'catalog' ? [] : [id],
  );
const red = () => `/teams/${acme.red}`;
const whitelist = (list: string) => (id: string) => ({ mode: 'whitelist', [list]: [id] });
const invitation = (fields: object) => ({
  email: newEmail(),
  role_ids: [acme.roles.nothing],
  ...fields,
});
const draft = { name: randomUUID(), mcp_capabilities: ['agents'] };

type Request = (id: string) => SendRequest;
/** Requests whose body or query names an object, with ids that the organization does not have. */
const requests: [what: string, request: Request, ids: () => readonly string[]][] = [
  [
    'a role of a member',
    (id) => ({ method: 'PATCH', path: `/members/${acme.ids['noa']}`, body: { role_ids: [id] } }),
    () => foreign.lists['/roles']!,
  ],
  [
    'a role of an invitation',
    (id) => ({ path: '/invitations', body: invitation({ role_ids: [id] }) }),
    () => foreign.lists['/roles']!,
  ],
  [
    'a team of an invitation',
    (id) => ({
      path: '/invitations',
      body: invitation({ teams: [{ team_id: id, role_ids: [] }] }),
    }),
    () => foreign.teams.filter((id) => id !== acme.blue),
  ],
  [
    'a team role of an invitation',
    (id) => ({
      path: '/invitations',
      body: invitation({ teams: [{ team_id: acme.red, role_ids: [id] }] }),
    }),
    () => foreign.lists['/teams/{team_id}/roles']!,
  ],
  [
    'the role that replaces a deleted one',
    (id) => ({ method: 'DELETE', path: `/roles/${acme.roles.nothing}?replace_with=${id}` }),
    () => foreign.lists['/roles']!,
  ],
  [
    'a new member of a team',
    (id) => ({ path: `${red()}/members`, body: { account_id: id } }),
    () => [acme.people.stranger.account_id],
  ],
  [
    'a role in a team',
    (id) => ({
      method: 'PATCH',
      path: `${red()}/members/${acme.ids['noa']}`,
      body: { role_ids: [id] },
    }),
    () => foreign.lists['/teams/{team_id}/roles']!,
  ],
  [
    'a team of the organization’s key',
    (id) => ({ path: '/keys', body: { ...draft, team_ids: [id] } }),
    () => foreign.teams.filter((id) => id !== acme.blue),
  ],
  [
    'the default agent of the organization’s key',
    (id) => ({ path: '/keys', body: { ...draft, team_ids: [], default_agent_id: id } }),
    () => itemsOf('agents'),
  ],
  [
    'a selected tool',
    (id) => ({
      ...{ method: 'PUT', path: '/mcp-settings' },
      body: {
        ...{ tools: [id], organization_wide_tools: [] },
        ...{ platform_prompts: [], organization_wide_prompts: [] },
      },
    }),
    () => itemsOf('custom-tools'),
  ],
  ...(['custom-tools', 'prompts', 'agents'] as const).map(
    (family): [string, Request, () => readonly string[]] => [
      `an entry of a team’s policy: ${family}`,
      (id) => ({
        method: 'PUT',
        path: `${red()}/policies/${family === 'custom-tools' ? 'tool' : family.slice(0, -1)}`,
        body: whitelist(family === 'custom-tools' ? 'tools' : family)(id),
      }),
      () => itemsOf(family),
    ],
  ),
  [
    'the next Owner',
    (id) => ({
      path: '/transfer-ownership',
      body: { account_id: id, current_password: goodPassword },
    }),
    () => [acme.people.stranger.account_id],
  ],
];

test.each(requests)(
  'a foreign id gets the response of a random one in a body: %s (P3, rel:B9-1)',
  async (_what, request, idsOf) => {
    const send = async (id: string) => {
      const { path, ...rest } = request(id);
      const { status, body } = await askAs(acme.people.owner, { ...rest, path: acme.path + path });
      return { status, body };
    };
    const absent = await send(randomUUID());
    expect([absent.status, idsOf().length > 0]).toEqual([422, true]);

    for (const id of idsOf()) expect(await send(id)).toEqual(absent);
  },
);
