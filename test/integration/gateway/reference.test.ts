import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import type { Access } from '../../../src/caller/access.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { noTracing } from '../../../src/platform/observability/tracing.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

// One provider is configured, so that its routes respond.
const { gateway } = await useGateway({
  GITHUB_CLIENT_ID: 'toolgate',
  GITHUB_CLIENT_SECRET: 'secret',
});
const answer = await fetch(`${gateway.url}/api/openapi.json`);
expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
const described = (await answer.json()) as Description;

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: object;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  description: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, Response>;
}
interface Response {
  description?: string;
  $ref?: string;
  content?: object;
}
type Path = { parameters?: (Parameter | { $ref: string })[] } & Record<string, Operation>;
interface Description {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Path>;
  components: {
    schemas: Record<string, { enum?: string[] }>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
    headers: Record<string, object>;
    securitySchemes: Record<string, object>;
  };
}

const operations = () =>
  Object.entries(described.paths).flatMap(([path, { parameters = [], ...methods }]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => {
      const all = [...parameters, ...(operation.parameters ?? [])];
      return { path, method, operation, parameters: all.map(parameterOf) };
    }),
  );

/** A parameter that only one operation has is written in place. */
const parameterOf = (parameter: Parameter | { $ref: string }): Parameter =>
  '$ref' in parameter
    ? described.components.parameters[parameter.$ref.split('/').at(-1)!]!
    : parameter;

/** Returns every `$ref` in a value, at any depth. */
const refsOf = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);

test('the description is valid OpenAPI 3.1, and every operation is complete', () => {
  expect(described.openapi).toMatch(/^3\.1\.\d$/);
  expect(described.info).toMatchObject({ title: 'toolgate', version: expect.any(String) });
  expect(described.servers).toEqual([{ url: gateway.config.PUBLIC_URL }]);
  for (const { path, method, operation, parameters } of operations()) {
    const operationName = `${method} ${path}`;
    expect(path, operationName).toMatch(/^\/[\w/{}.-]*$/);
    expect(['get', 'post', 'put', 'patch', 'delete'], operationName).toContain(method);
    expect(operation.summary, operationName).toBeTruthy();
    expect(operation.tags, operationName).toHaveLength(1);
    for (const [status, { description, $ref }] of Object.entries(operation.responses)) {
      expect(status, operationName).toMatch(/^(?:2\d\d|30[23]|[45]\d\d|4XX)$/);
      expect(description ?? $ref, operationName).toBeTruthy();
    }
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = parameters.filter((parameter) => parameter.in === 'path');
    expect(
      declared.map(({ name }) => name),
      operationName,
    ).toEqual(inPath);
    expect(
      declared.every(({ required }) => required),
      operationName,
    ).toBe(true);
    const security = [...described.security, ...(operation.security ?? [])];
    for (const scheme of security.flatMap((requirement) => Object.keys(requirement)))
      expect(described.components.securitySchemes, operationName).toHaveProperty(scheme);
  }
});

test('every error response lists its codes', () => {
  const { updateApiKey } = Object.fromEntries(
    operations().map(({ operation }) => [operation.operationId, operation]),
  );
  expect(updateApiKey!.responses['409']).toEqual({ $ref: '#/components/responses/name_taken' });
  const codes = described.components.schemas['ErrorCode']!.enum!;
  for (const { operation } of operations()) {
    const errors = Object.entries(operation.responses).filter(([status]) => status >= '4');
    for (const [status, response] of errors) {
      if (operation.operationId === 'getHealth') continue;
      const description = descriptionOf(response);
      expect(description, `${operation.operationId} ${status}`).toMatch(
        /^(?:One of )?[a-z_`, ]+\.?$/,
      );
      const listed = description.replace('One of', '').match(/[a-z_]+/g)!;
      for (const code of listed) expect(codes).toContain(code);
    }
  }
});

/** Returns the description of a response: that next to a reference replaces that of its target. */
function descriptionOf({ description, $ref }: Response): string {
  if (description !== undefined || $ref === undefined) return description ?? '';
  return descriptionOf(described.components.responses[$ref.split('/').at(-1)!]!);
}

test('an access token opens exactly the operations that name a scope, or any credential', () => {
  const scopes = (id: string) =>
    operations()
      .find(({ operation }) => operation.operationId === id)!
      .operation.security?.find((requirement) => 'oauth2' in requirement)?.['oauth2'];

  expect(scopes('listPrompts')).toEqual(['read:prompts']);
  expect(scopes('getMcpSettings')).toEqual(['read:mcp_settings']);
  expect(scopes('listOrganizations')).toEqual([]);
  expect(scopes('createApiKey')).toBeUndefined();
});

const VERBS = `
  accept add apply approve cancel change compare complete confirm connect create decide delete disconnect end explain export get import link list preview promote
  refresh register remove rename replace request resend reset restore revoke sign start transfer undo
  unlink update verify watch`
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
    503: { content: expect.anything() },
  });
  for (const operation of [settings!['get'], settings!['put']])
    expect(operation!.security).not.toContainEqual({ api_key: [] });
  expect(described.paths['/api/me/resources']!['get']!.description).toContain('can_view_resources');
});

test('every reference within the description resolves', () => {
  const all = [
    ...operations().map(({ path, method, operation }) => ({ path, method, operation })),
    { path: 'components', method: '', operation: described.components },
  ];
  for (const { path, method, operation } of all) {
    for (const ref of refsOf(operation)) {
      expect(ref, `${method} ${path}`).toMatch(/^#\/components\/\w+\/[\w.-]+$/);
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
    // No connection has the random id, and a client metadata document needs https; that their routes
    // are served shows in `Allow`.
    const mayBeAbsent = path.startsWith('/api/auth/sso/{') || path === '/api/upstream-oauth/client';
    const isAbsent = status === 404 && !mayBeAbsent;
    return { isServed: !isAbsent && status !== 405, allow: headers.get('allow') };
  };
  for (const [path, methods] of Object.entries(described.paths)) {
    const methodsHere = Object.keys(methods)
      .filter((name) => name !== 'parameters')
      .map((method) => method.toUpperCase());
    for (const method of methodsHere)
      expect((await isRoutedAs(path, method)).isServed, `${method} ${path}`).toBe(true);
    const { allow } = await isRoutedAs(path, 'OPTIONS');
    // HEAD follows from GET and is not described.
    const listed = allow?.split(', ').filter((method) => method !== 'HEAD');
    expect(listed?.toSorted(), path).toEqual(methodsHere.toSorted());
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
  requireReauthentication: null as never,
  idempotency: null as never,
  jobs: null as never,
  retry: null as never,
  grantName: () => null,
  recordDecision: () => {},
  origins: new Set<string>(),
  cursors: null as never,
  pages: [],
  mcp: async () => {},
  plugins: [],
  sessionCookie: 'session',
  secureCookies: false,
  dashboardOrigin: null,
  trustedProxies: [],
  publicUrl: 'http://localhost:7070',
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
