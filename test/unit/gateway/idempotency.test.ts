import { expect, test } from 'vitest';
import { z } from 'zod';
import { isCreating } from '../../../src/caller/route.ts';
import type { Route } from '../../../src/caller/route.ts';
import { errorsOf } from '../../../src/gateway/rest/declared-errors.ts';
import { idempotencyKeyOf } from '../../../src/gateway/rest/idempotency-key.ts';
import { describeApi } from '../../../src/gateway/openapi/document.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

const routes = await declaredRoutes();
const { paths } = describeApi(routes, {
  baseUrl: 'https://toolgate.example',
  sessionCookie: 'session',
}) as { paths: Record<string, Record<string, { parameters?: { $ref: string }[] }>> };

const accepts = ({ method, path }: Route) => {
  const { parameters = [] } = paths[path]![method.toLowerCase()]!;
  return parameters.some(({ $ref }) => $ref === '#/components/parameters/Idempotency-Key');
};
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

test('every route that answers 201 to a caller accepts an Idempotency-Key, and no other route does', () => {
  const answering = routes.filter(
    ({ access, responses }) => 201 in responses && access !== 'public',
  );

  expect(answering.length).toBeGreaterThan(30);
  expect(routes.filter(accepts).map(nameOf)).toEqual(answering.map(nameOf));
});

test('these routes declare the three errors of the header, and no other route does', () => {
  const codes = ['invalid_idempotency_key', 'idempotency_running', 'idempotency_mismatch'];
  for (const route of routes) {
    const declared = new Set<string>([...errorsOf(route).values()].flat());
    const found = codes.filter((code) => declared.has(code));
    expect(found, nameOf(route)).toEqual(isCreating(route) ? codes : []);
  }
});

// The names of fields that contain a secret in some response.
const SECRET = /^(?:secret|client_secret|token|recovery_codes)$/;

/** Returns the fields of a response; those of all of them if there are several kinds. */
function fieldsOf(schema: z.ZodType): (readonly [string, z.ZodType])[] {
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((one) => fieldsOf(one as z.ZodType));
  if (schema instanceof z.ZodIntersection)
    return [schema.def.left, schema.def.right].flatMap((one) => fieldsOf(one as z.ZodType));
  return schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
}

test('a response to a creation declares the secrets in it, and may come without them', () => {
  const all = new Set<string>();
  for (const route of routes.filter(isCreating)) {
    const secrets = fieldsOf(route.responses[201]!).filter(([name]) => SECRET.test(name));
    const names = new Set(secrets.map(([name]) => name));
    expect(new Set(route.shown_once), nameOf(route)).toEqual(names);
    for (const [name, schema] of secrets)
      expect(schema.safeParse(undefined).success, `${nameOf(route)}: ${name}`).toBe(true);
    for (const name of names) all.add(name);
  }
  expect(all).toEqual(new Set(['secret', 'client_secret', 'token', 'recovery_codes']));
});

test('a key that is sent twice is refused, even if both are equal', () => {
  const route = routes.find(isCreating)!;
  const header = ['Idempotency-Key', 'a'];

  expect(idempotencyKeyOf(route, header)).toBe('a');
  expect(idempotencyKeyOf(route, [])).toBeNull();
  expect(() => idempotencyKeyOf(route, [...header, ...header])).toThrow('Send one Idempotency-Key');
});
