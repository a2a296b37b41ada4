import { expect, test } from 'vitest';
import { z } from 'zod';
import { createComponents } from '../../../src/gateway/openapi/components.ts';
import { describeApi } from '../../../src/gateway/openapi/document.ts';
import { publication } from '../../../src/platform/http/publication.ts';
import { isPageQuery } from '../../../src/platform/http/pages.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

// A generator of clients, and each page of the reference, loads all of it.
const MAX_BYTES_PER_OPERATION = 1_100;
const MAX_INLINE_BYTES = 450;

const document = describeApi(await declaredRoutes(), {
  baseUrl: 'https://toolgate.example',
  sessionCookie: 'session',
});

interface Place {
  path: string;
  object: Record<string, unknown>;
}

/** Returns every object in a value, with its path. */
function objectsIn(value: unknown, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, one]) => objectsIn(one, `${path}/${name}`));
  return Array.isArray(value) ? inner : [{ path, object: value as Place['object'] }, ...inner];
}
const all = objectsIn(document);

test('every list states the type of its entries', () => {
  const lists = all.filter(({ object }) => object['type'] === 'array');

  expect(lists.length).toBeGreaterThan(100);
  for (const { path, object } of lists)
    expect(Object.keys(object['items'] ?? {}), path).not.toEqual([]);
});

test('every list has pages, or says that it is whole', async () => {
  const lists = (await declaredRoutes()).filter(
    ({ responses }) => (responses as { 200?: z.ZodObject })[200]?.shape?.['data'] !== undefined,
  );

  expect(lists.length).toBeGreaterThan(60);
  for (const { path, query, responses } of lists) {
    const { next_cursor } = (responses as unknown as { 200: z.ZodObject })[200].shape;
    const isWhole = next_cursor instanceof z.ZodNull && next_cursor.description !== undefined;
    expect([path, isWhole]).toEqual([path, !isPageQuery(query)]);
  }
});

test('every body and every answer is a schema with a name', () => {
  for (const { path, object } of objectsIn(document.paths, 'paths'))
    if ('schema' in object && !('in' in object))
      expect(object['schema'], path).toEqual({ $ref: expect.any(String) });
});

test('every error response with codes of its own has a body, which generators and pages show', () => {
  const responses = objectsIn(document.paths, 'paths').filter(({ object }) => '$ref' in object);

  expect(responses.length).toBeGreaterThan(100);
  for (const { path, object } of responses) expect(Object.keys(object), path).toEqual(['$ref']);
});

test('no shared body, response or parameter is only a reference, which generators do not follow', () => {
  const { requestBodies, responses, parameters } = document.components;

  for (const shared of [requestBodies, responses, parameters] as Record<string, object>[])
    for (const [name, object] of Object.entries(shared))
      expect(object, name).not.toHaveProperty('$ref');
});

const componentNames = ['schemas', 'parameters', 'requestBodies', 'responses', 'headers'].flatMap(
  (kind) => Object.keys((document.components as Record<string, object>)[kind]!),
);

/** Returns a name as generators write it: `Agent.ok` becomes `AgentOk`. */
const typeName = (name: string) =>
  name.replaceAll(/(?:^|[^A-Za-z0-9])([a-z0-9])?/gi, (_, letter = '') => letter.toUpperCase());

test('component names are unique across all kinds, so generators add no numbers', () => {
  const places = Map.groupBy(componentNames, (name) => typeName(name).toLowerCase());

  expect(typeName('Agent.ok_then')).toBe('AgentOkThen');
  expect(componentNames.length).toBeGreaterThan(400);
  expect([...places.values()].filter(({ length }) => length > 1)).toEqual([]);
});

test('no component and no operation is named by a number', () => {
  const operations = all.flatMap(({ object }) => object['operationId'] ?? []);

  expect(operations.length).toBeGreaterThan(300);
  for (const name of [...componentNames, ...operations]) expect(name).not.toMatch(/\d$/);
});

test('no schema has a name that generators give to the response of an operation', () => {
  const taken = all
    .flatMap(({ object }) => (object['operationId'] as string | undefined) ?? [])
    .flatMap((id) =>
      ['Data', 'Error', 'Errors', 'Response', 'Responses'].map((one) => typeName(`${id}${one}`)),
    );

  expect(taken).toContain('SignInResponse');
  expect(componentNames.filter((name) => taken.includes(typeName(name)))).toEqual([]);
});

test('no large object is written twice', () => {
  const places = new Map<string, string[]>();
  for (const { path, object } of objectsIn(document.components.schemas)) {
    const text = JSON.stringify(object);
    if (object['type'] !== 'object' || text.length < MAX_INLINE_BYTES) continue;
    places.set(text, [...(places.get(text) ?? []), path]);
  }
  expect([...places.values()].filter(({ length }) => length > 1)).toEqual([]);
});

test(`the document has at most ${MAX_BYTES_PER_OPERATION} bytes for each operation`, () => {
  const operations = all.filter(({ object }) => 'operationId' in object).length;

  expect(operations).toBeGreaterThan(380);
  expect(Buffer.byteLength(JSON.stringify(document)) / operations).toBeLessThan(
    MAX_BYTES_PER_OPERATION,
  );
});

test('a field that a body must not have is not published', () => {
  const components = createComponents();
  const Scope = z.union([
    z.object({ type: z.literal('personal'), org_id: z.undefined().optional() }),
    z.object({ type: z.literal('org'), org_id: z.guid() }),
  ]);
  components.refer(Scope.meta({ id: 'Scope' }), 'input', '');
  const { Scope: published } = components.finish({}).schemas;

  expect(published).toMatchObject({
    anyOf: [
      { properties: { type: { const: 'personal' } }, required: ['type'] },
      { properties: { org_id: { format: 'uuid' } }, required: ['type', 'org_id'] },
    ],
  });
  expect(JSON.stringify(document.components.schemas)).not.toContain('"org_id":{}');
});

test('a field is published as its check requires, not as the parser takes it', () => {
  const components = createComponents();
  const Form = z.object({
    token: z.string().optional().register(publication, { as: 'required' }),
    policy: z.string().optional().register(publication, { as: 'omitted' }),
    name: z.string(),
  });
  components.refer(Form.meta({ id: 'Form' }), 'input', '');

  expect(components.finish({}).schemas).toEqual({
    Form: {
      type: 'object',
      properties: { token: { type: 'string' }, name: { type: 'string' } },
      required: ['name', 'token'],
    },
  });
});

test('a public form requires its CAPTCHA token; a key of an organization has no policies', () => {
  const { EmailRequest, OrganizationKeyDraft, OrganizationKeyEdit } = document.components
    .schemas as Record<string, { required: string[]; properties: object }>;

  expect(EmailRequest!.required).toContain('captcha_token');
  for (const { properties } of [OrganizationKeyDraft!, OrganizationKeyEdit!])
    expect(Object.keys(properties).filter((name) => /_policy|org_scope/.test(name))).toEqual([]);
});

test('no schema is only another name of one', () => {
  for (const [name, schema] of Object.entries(document.components.schemas))
    expect(Object.keys(schema), name).not.toEqual(['$ref']);
});

test('every operation that the description names exists', () => {
  const named = [...document.info.description.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, id]) => id);
  const ids = all.flatMap(({ object }) => object['operationId'] ?? []);

  expect(named.length).toBeGreaterThan(5);
  expect(ids).toEqual(expect.arrayContaining(named));
});

test('a generated client sends the first credential of an operation: the token of a session', () => {
  expect(document.security[0]).toEqual({ session: [] });
});

test('a session opens every operation that accepts one as a token and as a cookie', () => {
  const lists = all.flatMap(({ object }) =>
    Array.isArray(object['security']) ? [object['security'] as object[]] : [],
  );
  const ofSessions = lists.filter((list) => list.some((one) => 'session' in one));

  expect(document.components.securitySchemes.cookie).toMatchObject({
    in: 'cookie',
    name: 'session',
  });
  expect(ofSessions.length).toBeGreaterThan(200);
  for (const list of ofSessions) expect(list).toContainEqual({ cookie: [] });
});

test('a schema that differs in requests has a name of its own there', () => {
  const components = createComponents();
  const Inner = z.object({ at: z.iso.datetime().transform(Number) }).meta({ id: 'Inner' });
  const Outer = z.object({ inner: Inner }).meta({ id: 'Outer' });
  const sent = components.refer(Outer, 'input', 'Sent');
  const received = components.refer(Outer, 'output', 'Received');
  const { schemas, document: published } = components.finish({ sent, received });

  expect(published).toEqual({
    sent: { $ref: '#/components/schemas/OuterInput' },
    received: { $ref: '#/components/schemas/Outer' },
  });
  expect(Object.keys(schemas)).toEqual(['Inner', 'InnerInput', 'Outer', 'OuterInput']);
});

test('a schema whose defaults may be omitted in requests is published once, as in requests', () => {
  const components = createComponents();
  const Policy = z.object({ id: z.guid(), mode: z.string().default('all') }).meta({ id: 'Policy' });
  for (const direction of ['input', 'output'] as const) components.refer(Policy, direction, '');

  expect(components.finish({}).schemas).toEqual({
    Policy: expect.objectContaining({ required: ['id'] }),
  });
});

test('two different schemas cannot have one name', () => {
  const components = createComponents();
  components.refer(z.object({ a: z.string() }).meta({ id: 'Same' }), 'output', '');

  expect(() =>
    components.refer(z.object({ b: z.string() }).meta({ id: 'Same' }), 'output', ''),
  ).toThrow('two schemas of output are called Same');
});
