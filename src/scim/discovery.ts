import { absent } from '../platform/errors/refusal.ts';
import { GROUP_SCHEMA } from './groups/resource.ts';
import { MAX_RESULTS } from './request.ts';
import type { ScimRequest, ScimRoute } from './request.ts';
import { listResponse } from './response.ts';
import { USER_SCHEMA } from './users/resource.ts';

const META = 'urn:ietf:params:scim:schemas:core:2.0';

interface Described {
  name: string;
  type?: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued?: boolean;
  required?: boolean;
  caseExact?: boolean;
  mutability?: 'readOnly' | 'readWrite' | 'immutable';
  uniqueness?: 'none' | 'server';
  subAttributes?: readonly Described[];
  description: string;
}

const describe = ({ subAttributes, ...attribute }: Described): object => ({
  ...{ type: 'string', multiValued: false, required: false, caseExact: false },
  ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none' },
  ...attribute,
  ...(subAttributes ? { type: 'complex', subAttributes: subAttributes.map(describe) } : {}),
});

const read = { mutability: 'readOnly' } as const;

/** The attributes that are stored; others are accepted and ignored. */
const schemas: readonly (Pick<Described, 'name' | 'description'> & {
  id: string;
  attributes: readonly Described[];
})[] = [
  {
    id: USER_SCHEMA,
    name: 'User',
    description: 'A member of the organization',
    attributes: [
      {
        ...{ name: 'userName', required: true, uniqueness: 'server' },
        description: 'Identifies the user in the directory; compared and returned in lower case.',
      },
      {
        name: 'name',
        description: 'The name of the person.',
        subAttributes: [
          { name: 'formatted', description: 'The full name.', ...read },
          { name: 'givenName', description: 'The first name.' },
          { name: 'familyName', description: 'The last name.' },
        ],
      },
      { name: 'displayName', description: 'The name shown to others.' },
      {
        ...{ name: 'emails', multiValued: true },
        description: 'The address of the account, in a domain that the organization has verified.',
        subAttributes: [
          { name: 'value', description: 'The address.' },
          { name: 'type', description: 'Always `work`.' },
          { name: 'primary', type: 'boolean', description: 'Always true.' },
        ],
      },
      { name: 'preferredLanguage', description: 'The language of e-mails to a new account.' },
      { name: 'active', type: 'boolean', description: 'Whether the person is a member.' },
      {
        ...{ name: 'groups', multiValued: true, ...read },
        description: 'The groups that the user is in.',
        subAttributes: [
          { name: 'value', description: 'The id of the group.', ...read },
          { name: 'display', description: 'The name of the group.', ...read },
          { name: '$ref', type: 'reference', description: 'The URL of the group.', ...read },
        ],
      },
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A team of the organization',
    attributes: [
      {
        ...{ name: 'displayName', required: true, uniqueness: 'server' },
        description: 'The title of the team, from which its name is made.',
      },
      {
        ...{ name: 'members', multiValued: true },
        description: 'The users in the group; those who are active have a seat in the team.',
        subAttributes: [
          { name: 'value', mutability: 'immutable', description: 'The id of the user.' },
          { name: 'display', description: 'The name of the user.', ...read },
          { name: 'type', description: 'Always `User`.', ...read },
          { name: '$ref', type: 'reference', description: 'The URL of the user.', ...read },
        ],
      },
    ],
  },
];

const schemaResources = (base: string) =>
  schemas.map(({ attributes, ...schema }) => ({
    schemas: [`${META}:Schema`],
    ...schema,
    attributes: attributes.map(describe),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));

const resourceTypes = (base: string) =>
  schemas.map(({ id, name, description }) => ({
    schemas: [`${META}:ResourceType`],
    ...{ id: name, name, description, endpoint: `/${name}s`, schema: id, schemaExtensions: [] },
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }));

const configuration = (base: string) => ({
  schemas: [`${META}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the organization.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

const all =
  (resourcesOf: (base: string) => readonly object[]) =>
  ({ base }: ScimRequest) => {
    const resources = resourcesOf(base);
    return listResponse(resources as Record<string, unknown>[], resources.length, { start: 1 });
  };

const one =
  (resourcesOf: (base: string) => readonly { id: string }[]) =>
  ({ base, name }: ScimRequest) => {
    const found = resourcesOf(base).find(({ id }) => id === name);
    if (found === undefined) throw absent('no such resource');
    return { status: 200, body: found };
  };

/** The endpoints that describe what is supported (RFC 7643, sections 5 to 7). */
export const discoveryRoutes: readonly ScimRoute[] = [
  {
    method: 'GET',
    path: '/ServiceProviderConfig',
    handle: ({ base }) => ({ status: 200, body: configuration(base) }),
  },
  { method: 'GET', path: '/ResourceTypes', handle: all(resourceTypes) },
  { method: 'GET', path: '/ResourceTypes/{id}', handle: one(resourceTypes) },
  { method: 'GET', path: '/Schemas', handle: all(schemaResources) },
  { method: 'GET', path: '/Schemas/{id}', handle: one(schemaResources) },
];
