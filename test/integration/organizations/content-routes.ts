import { randomUUID } from 'node:crypto';
import type { SendRequest } from '../../support/people/people.ts';
import { absent, denied, interactiveOnly, unauthenticated } from './expected.ts';
import type { Expected } from './expected.ts';

const refused = { anonymous: unauthenticated, key: absent, stranger: absent };

interface Mount {
  path: string;
  /** Returns the expected responses; callers with the permission get `outcome`. */
  answers(outcome: (number | string)[]): Expected;
}

const organization = '/api/organizations/{organization_id}';
const privileged = (member: (number | string)[]) => (outcome: (number | string)[]) => ({
  ...refused,
  ...{ member, admin: outcome, owner: outcome },
});

const mounts: readonly Mount[] = [
  { path: organization, answers: privileged(denied) },
  // A member without a seat gets the same 404 as for an unknown team.
  { path: `${organization}/teams/{team_id}`, answers: privileged(absent) },
  {
    path: `${organization}/me`,
    answers: (outcome) => ({
      ...{ ...refused, key: interactiveOnly },
      ...{ member: outcome, admin: outcome, owner: outcome },
    }),
  },
];

/** Well-formed drafts that no space accepts. */
const drafts = {
  resources: { path: 'large', text: 'x'.repeat(1_048_577) },
  prompts: { name: 'one', messages: [{ role: 'user', content: '{{unknown}}' }] },
  agents: {
    ...{ name: 'one', description: 'One.', instructions: 'Be one.' },
    components: [{ name: 'part', content: 'Part.', when: { tool: randomUUID() } }],
  },
  'custom-tools': {
    ...{ name: 'calculator', kind: 'http', description: 'One.' },
    http: { method: 'GET', url: 'https://example.com/' },
  },
};
const refusals: Record<keyof typeof drafts, [number, string]> = {
  resources: [422, 'too_large'],
  prompts: [422, 'unknown_argument'],
  agents: [422, 'unknown_item'],
  'custom-tools': [409, 'name_taken'],
};

const routesOf = ({ path, answers }: Mount): [SendRequest, Expected][] => {
  const read = answers([200]);
  // Even callers without the permission get a 404, not a 403, for an unknown item.
  const unknownItem = { ...answers(absent), member: absent };
  const families = Object.keys(drafts) as (keyof typeof drafts)[];
  return [
    ...families.flatMap((family): [SendRequest, Expected][] => [
      [{ path: `${path}/${family}` }, read],
      [{ path: `${path}/${family}`, body: drafts[family] }, answers(refusals[family])],
      [{ path: `${path}/${family}/{id}` }, unknownItem],
      [{ method: 'PATCH', path: `${path}/${family}/{id}`, body: {} }, unknownItem],
      [{ method: 'DELETE', path: `${path}/${family}/{id}` }, unknownItem],
      [{ path: `${path}/${family}/{id}/versions` }, unknownItem],
      [{ path: `${path}/${family}/{id}/versions/{version}` }, unknownItem],
      [{ method: 'POST', path: `${path}/${family}/{id}/versions/{version}/restore` }, unknownItem],
    ]),
    ...(path.endsWith('{team_id}')
      ? ['resources', 'prompts', 'custom-tools'].map((family): [SendRequest, Expected] => [
          { method: 'POST', path: `${path}/${family}/{id}/promote` },
          unknownItem,
        ])
      : []),
    [{ path: `${path}/prompts/scopable` }, read],
    [{ path: `${path}/custom-tools/scopable` }, read],
    [
      { path: `${path}/custom-tools/import`, body: { document: {} } },
      answers([422, 'unsupported_document']),
    ],
    [{ path: `${path}/custom-tools/{id}/approve`, body: {} }, unknownItem],
    [{ path: `${path}/upstreams` }, read],
    [
      { path: `${path}/upstreams`, body: { name: 'one', url: 'http://localhost/' } },
      answers([422, 'url_not_allowed']),
    ],
    [{ path: `${path}/upstreams/{id}` }, unknownItem],
    [{ method: 'PATCH', path: `${path}/upstreams/{id}`, body: {} }, unknownItem],
    [{ method: 'DELETE', path: `${path}/upstreams/{id}` }, unknownItem],
    [{ path: `${path}/upstreams/{id}/tools` }, unknownItem],
    [
      { path: `${path}/upstreams/import`, body: { document: {} } },
      answers([422, 'unsupported_document']),
    ],
    [{ path: `${path}/upstreams/{id}/import`, body: {} }, unknownItem],
    [{ path: `${path}/upstreams/{id}/changes` }, unknownItem],
    [{ path: `${path}/upstreams/{id}/changes/approve`, body: {} }, unknownItem],
  ];
};

// Every member can list the built-in items; no permission is required.
const catalogRoutes = ['tools', 'prompts'].map((list): [SendRequest, Expected] => [
  { path: `${organization}/catalog/${list}` },
  privileged([200])([200]),
]);

/** Requests for an organization's content that change nothing, and their expected responses. */
export const contentRoutes = [...mounts.flatMap(routesOf), ...catalogRoutes].map(
  ([request, expected]) => [
    request.body === undefined ? request : { method: 'POST', ...request },
    expected,
  ],
) as [SendRequest, Expected][];
