import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import {
  organizationPermissions,
  personalPermissions,
  teamPermissions,
} from '../../../src/authz/permissions.ts';
import type { Permission } from '../../../src/authz/permissions.ts';
import { needsExample } from '../../../src/gateway/openapi/examples.ts';
import { mapInner } from '../../../src/gateway/openapi/schema-tree.ts';
import { describeApi } from '../../../src/gateway/openapi/document.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { composeExample } from '../../support/openapi/compose-example.ts';
import { follow } from '../../support/openapi/serializer.ts';
import type { Json, JsonObject } from '../../support/openapi/shorthand.ts';

const routes = await declaredRoutes();
const document: Json = describeApi(routes, {
  baseUrl: 'https://toolgate.example',
  sessionCookie: 'session',
});
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'toolgate', ...document });

interface Body {
  name: string;
  $ref: string;
  /** Composed from the schema, unless the operation has an example of its own. */
  exampleOf(isFull: boolean): Json;
}

/** Returns each body and each response of an operation, with a name for messages. */
function bodiesOf(operation: JsonObject): Body[] {
  const all = { request: operation['requestBody'], ...operation['responses'] } as JsonObject;
  return Object.entries(all).flatMap(([name, body]) => {
    if (body === undefined) return [];
    const [media] = Object.values(follow(document, body)['content'] ?? {}) as JsonObject[];
    if (media === undefined) return [];
    const { $ref } = media['schema'];
    const exampleOf = (isFull: boolean) =>
      media['example'] ?? composeExample(document, { $ref }, isFull);
    return [{ name: `${operation['operationId']} ${name}`, $ref, exampleOf }];
  });
}
const operations = Object.values(document.paths as Record<string, JsonObject>).flatMap(
  ({ parameters: _parameters, ...methods }) => Object.values(methods) as JsonObject[],
);

test('every text in a schema has an example, unless its type says what it looks like', () => {
  const faulty: string[] = [];
  for (const [owner, schema] of Object.entries(document.components.schemas as JsonObject))
    mapInner({ anyOf: [schema] }, (inner, path) => {
      if (needsExample(inner)) faulty.push(`${owner}.${path}`);
      return inner;
    });

  // Name the property in src/gateway/openapi/example-values.ts.
  expect(faulty).toEqual([]);
});

test('the composed example of every body and every response is valid', () => {
  const bodies = operations.flatMap(bodiesOf);

  expect(bodies.length).toBeGreaterThan(400);
  for (const { name, $ref, exampleOf } of bodies)
    for (const isFull of [true, false]) {
      const example = exampleOf(isFull);
      // Compiled once for all bodies of the schema.
      const validate = ajv.getSchema(`toolgate${$ref}`)!;
      const isValid = validate(example);
      const fault = ajv.errorsText(validate.errors);
      expect(isValid, `${name}: ${fault} ${JSON.stringify(example)}`).toBe(true);
    }
});

test('a route accepts the example of its body', () => {
  const refused: string[] = [];
  for (const { operation_id, body } of routes) {
    if (body === undefined) continue;
    const operation = operations.find(({ operationId }) => operationId === operation_id)!;
    const { exampleOf } = bodiesOf(operation).find(({ name }) => name.endsWith('request'))!;
    const { error } = body.safeParse(exampleOf(false));
    if (error) refused.push(`${operation_id}: ${error.message}`);
  }
  expect(refused).toEqual([]);
});

/** Names of the permissions and scopes that something of a context may be given. */
const namesIn = (...tables: readonly (readonly Permission[])[]) =>
  new Set(tables.flat().flatMap(({ grant, scope }) => [grant, scope]));
const personal = namesIn(personalPermissions);
const organization = namesIn(organizationPermissions, teamPermissions);
const team = namesIn(teamPermissions);

/** Returns every text in a value, those in grants of organizations apart. */
function textsIn(value: Json): { own: string[]; inOrganizations: string[] } {
  if (typeof value === 'string') return { own: [value], inOrganizations: [] };
  if (typeof value !== 'object' || value === null) return { own: [], inOrganizations: [] };
  const inner = Object.values(value).map(textsIn);
  const own = inner.flatMap((one) => one.own);
  const inOrganizations = inner.flatMap((one) => one.inOrganizations);
  return value['scope']?.type === 'org'
    ? { own: [], inOrganizations: [...own, ...inOrganizations] }
    : { own, inOrganizations };
}

const isName = (text: string) => personal.has(text) || organization.has(text);

test('the example of a request names permissions and scopes of its context', () => {
  const faulty: string[] = [];
  let count = 0;
  for (const { path, operation_id } of routes) {
    const operation = operations.find(({ operationId }) => operationId === operation_id)!;
    const context = /team-roles|\/teams\/\{team_id\}/.test(path) ? team : organization;
    const isPersonal = !path.startsWith('/api/organizations/{');
    for (const { name, exampleOf } of bodiesOf(operation)) {
      if (!name.endsWith('request')) continue;
      const { own, inOrganizations } = textsIn(exampleOf(true));
      const allowed = isPersonal ? personal : context;
      const wrong = [
        ...own.filter((text) => isName(text) && !allowed.has(text)),
        ...(isPersonal ? [] : own.filter((text) => text === 'personal')),
        ...inOrganizations.filter((text) => isName(text) && !organization.has(text)),
      ];
      count += [...own, ...inOrganizations].filter(isName).length;
      faulty.push(...wrong.map((text) => `${name}: ${text}`));
    }
  }

  expect(count).toBeGreaterThan(10);
  expect(faulty).toEqual([]);
});

test('no response in an organization has a personal permission or scope in its example', () => {
  const faulty = routes
    .filter(({ path }) => path.startsWith('/api/organizations/{'))
    .flatMap(({ operation_id }) =>
      bodiesOf(operations.find(({ operationId }) => operationId === operation_id)!),
    )
    .flatMap(({ name, exampleOf }) =>
      textsIn(exampleOf(true))
        .own.filter((text) => personal.has(text) && !organization.has(text))
        .map((text) => `${name}: ${text}`),
    );

  expect(faulty).toEqual([]);
});
