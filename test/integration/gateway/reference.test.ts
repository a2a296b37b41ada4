import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import type { Access } from '../../../src/caller/access.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { noTracing } from '../../../src/platform/observability/tracing.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
let described: Description;
beforeAll(async () => {
  // One provider is configured, so that its routes respond.
  world = await createWorld({ GITHUB_CLIENT_ID: 'toolgate', GITHUB_CLIENT_SECRET: 'secret' });
  gateway = await world.gateway();
  const answer = await fetch(`${gateway.url}/api/openapi.json`);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  described = (await answer.json()) as Description;
});
afterAll(() => world.close());

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  description: string;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description?: string; $ref?: string; content?: object }>;
}
interface Description {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, ErrorResponse>;
    securitySchemes: Record<string, object>;
  };
}

interface ErrorResponse {
  description: string;
  content: { 'application/json': { schema: { allOf: [object, CodedSchema] } } };
}
interface CodedSchema {
  properties: { errors: { items: { properties: { code: { enum: string[] } } } } };
}

const operations = () =>
  Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Returns every `$ref` in a value, at any depth. */
const refsOf = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);

test('the description is valid OpenAPI 3.1, and every operation is complete', () => {
  expect(described.openapi).toMatch(/^3\.1\.\d$/);
  expect(described.info).toMatchObject({ title: 'toolgate', version: expect.any(String) });
  expect(described.servers).toEqual([{ url: gateway.config.PUBLIC_URL }]);
  for (const { path, method, operation } of operations()) {
    const operationName = `${method} ${path}`;
    expect(path, operationName).toMatch(/^\/[\w/{}.-]*$/);
    expect(['get', 'post', 'put', 'patch', 'delete'], operationName).toContain(method);
    expect(operation.summary, operationName).toBeTruthy();
    expect(operation.tags, operationName).toHaveLength(1);
    expect(operation.responses, operationName).toHaveProperty('default');
    for (const [status, { description, $ref }] of Object.entries(operation.responses)) {
      expect(status, operationName).toMatch(/^(?:2\d\d|30[23]|[45]\d\d|default)$/);
      expect(description ?? $ref, operationName).toBeTruthy();
    }
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    expect(
      declared.map(({ name }) => name),
      operationName,
    ).toEqual(inPath);
    expect(
      declared.every(({ required }) => required),
      operationName,
    ).toBe(true);
    for (const scheme of operation.security.flatMap((requirement) => Object.keys(requirement)))
      expect(described.components.securitySchemes, operationName).toHaveProperty(scheme);
  }
});

test('every error response lists its codes, each with a description', () => {
  const { createApiKey } = Object.fromEntries(
    operations().map(({ operation }) => [operation.operationId, operation]),
  );
  const { $ref } = createApiKey!.responses['409']!;

  expect($ref).toBe('#/components/responses/409.name_taken');
  for (const [name, { description, content }] of Object.entries(described.components.responses)) {
    const [, coded] = content['application/json'].schema.allOf;
    const codes = coded.properties.errors.items.properties.code.enum;
    expect(codes.length, name).toBeGreaterThan(0);
    expect(description.split('\n').map((line) => /^- `(\w+)`: .{20,}[.]$/.exec(line)?.[1])).toEqual(
      codes,
    );
  }
});

const VERBS = `
  accept add approve change complete confirm create decide delete end explain export get import link list preview promote
  refresh register remove rename replace request resend reset restore revoke sign start transfer undo
  unlink update verify`
  .trim()
  .split(/\s+/);

test('every operation has a unique camelCase operationId that starts with a verb', () => {
  const ids = operations().map(({ operation }) => operation.operationId);

  for (const id of ids) {
    expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z]+)+$/);
    expect(VERBS, id).toContain(/^[a-z]+/.exec(id)![0]);
  }
  expect(new Set(ids).size).toBe(ids.length);
});

test('/health is described, and keys are offered only where they are accepted', () => {
  const { '/health': health, '/api/me/mcp-settings': settings } = described.paths;

  expect(health?.['get']?.responses).toMatchObject({
    200: { content: expect.anything() },
    default: { content: expect.anything() },
  });
  for (const operation of Object.values(settings!))
    expect(operation.security).toEqual([{ session: [] }]);
  expect(described.paths['/api/me/resources']!['get']!.description).toContain('can_view_resources');
  expect(JSON.stringify(described)).not.toMatch(/`[a-z_]+_(?:read|write)`/);
});

test('every reference within the description resolves', () => {
  for (const { path, method, operation } of operations()) {
    for (const ref of refsOf(operation)) {
      expect(ref, `${method} ${path}`).toMatch(/^#\/components\/(?:schemas|responses)\/[\w.]+$/);
      const [kind, name] = ref.split('/').slice(-2) as ['schemas' | 'responses', string];
      expect(described.components[kind]).toHaveProperty([name]);
    }
  }
});

test('every described route is served, and every served method of its path is described', async () => {
  const isRoutedAs = async (path: string, method: string) => {
    const real = path.replace('{provider}', 'github').replaceAll(/\{\w+\}/g, crypto.randomUUID());
    const { status, headers } = await fetch(`${gateway.url}${real}`, {
      method,
      redirect: 'manual',
    });
    // No connection has the random id; that its routes are served shows in `Allow`.
    const isAbsent = status === 404 && !path.startsWith('/api/auth/sso/{');
    return { isServed: !isAbsent && status !== 405, allow: headers.get('allow') };
  };
  for (const [path, methods] of Object.entries(described.paths)) {
    const methodsHere = Object.keys(methods).map((method) => method.toUpperCase());
    for (const method of methodsHere)
      expect((await isRoutedAs(path, method)).isServed, `${method} ${path}`).toBe(true);
    const { allow } = await isRoutedAs(path, 'OPTIONS');
    expect(allow?.split(', ').toSorted(), path).toEqual(methodsHere.toSorted());
  }
});

test('every route of every module is described exactly once', async () => {
  const all = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const declared = (await declaredRoutes()).map(({ method, path }) => `${method} ${path}`);

  expect(all.toSorted()).toEqual(['GET /health', ...declared].toSorted());
  expect(new Set(all).size).toBe(all.length);
});

const dependencies = {
  authentication: null as never,
  check: null as never,
  grantName: () => null,
  origins: new Set<string>(),
  cursors: null as never,
  pages: [],
  mcp: async () => {},
  plugins: [],
  sessionCookie: 'session',
  secureCookies: false,
  dashboardOrigin: null,
  trustedProxies: [],
  observe: () => {},
  tracing: noTracing,
  log: createLog('silent'),
};
const routeWith = (access: unknown) =>
  defineRoute({
    method: 'GET',
    path: '/api/open',
    access: access as Access,
    operation_id: 'getOpen',
    summary: '',
    tag: '',
    responses: { 200: z.object({}) },
    handle: () => ok({}),
  });

test.each([
  undefined,
  null,
  '',
  'everybody',
  {},
  { on: 'account' },
  { on: 'planet', permission: 'see' },
  { interactive: 'x' },
  true,
])('a gateway with a route whose access is %j cannot start', async (access) => {
  await expect(createGateway({ ...dependencies, routes: [routeWith(access)] })).rejects.toThrow(
    '/api/open declares no access',
  );
});

test('a gateway with a route that declares its access starts, but not with a duplicate route', async () => {
  const route = routeWith('public');
  const app = await createGateway({ ...dependencies, routes: [route] });
  await app.close();

  const duplicate = { ...route, operation_id: 'getAgain' };
  await expect(createGateway({ ...dependencies, routes: [route, duplicate] })).rejects.toThrow(
    /already declared/,
  );
});
