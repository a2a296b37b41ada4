import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composeExample } from '../../support/openapi/compose-example.ts';
import { follow } from '../../support/openapi/serializer.ts';
import type { Json, JsonObject } from '../../support/openapi/shorthand.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';

interface Operation {
  method: string;
  path: string;
  query: readonly string[];
  /** The example of the body; undefined if it has none. */
  body: Json;
}

// It redirects to the dashboard, which does not run here; its parameters are tested with upstreams.
const REDIRECTS = 'GET /api/upstream-oauth/callback';
// They end the session that sends all the others.
const ENDS_SESSION = /^(?:POST \/api\/auth\/(?:logout|refresh)|DELETE \/api\/auth\/sessions)/;

const teams = await useTeams();
const acme = await teams.organization();
const response = await fetch(`${teams.gateway.url}/api/openapi.json`);
const operations: Operation[] = operationsOf((await response.json()) as JsonObject);

function operationsOf(document: JsonObject): Operation[] {
  return Object.entries(document['paths'] as JsonObject).flatMap(
    ([path, { parameters: shared = [], ...methods }]) =>
      Object.entries(methods as JsonObject).flatMap(([verb, { parameters = [], requestBody }]) => {
        const all = [...shared, ...parameters].map((one) => follow(document, one));
        const query = all
          .filter((one) => one['in'] === 'query')
          .map((one) => one['name'] as string);
        const content = requestBody && follow(document, requestBody)['content'];
        const schema = content?.['application/json']?.schema;
        const body = schema && composeExample(document, schema, true);
        const method = verb.toUpperCase();
        const operation = `${method} ${path}`;
        return ENDS_SESSION.test(operation) || operation === REDIRECTS
          ? []
          : [{ method, path, query, body }];
      }),
  );
}

const hostile = fc.oneof(
  fc.constantFrom<Json>(
    ...[null, true, -1, 1e308, 0.5, [], {}, [[]], '', ' ', '\0', '\u202e', '\ud800', '%', "'--"],
    ...['__proto__', 'constructor', '9'.repeat(400), 'a'.repeat(5_000), '2026-02-30', '../..'],
    ...['http://169.254.169.254/', '{{x}}', '*'.repeat(300), 'ﷺ'.repeat(300)],
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.integer(),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Replaces a value at a random place in a body, adds a field or removes one. */
const mutated = (body: Json) =>
  fc
    .tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'add'), hostile)
    .map(([at, how, value]) => {
      const copy = structuredClone(body);
      const places: [container: Json, key: string][] = [];
      const collect = (inner: Json) => {
        for (const [key, one] of Object.entries(inner ?? {})) {
          places.push([inner, key]);
          if (typeof one === 'object') collect(one);
        }
      };
      collect(copy);
      if (places.length === 0) return value;
      const [container, key] = places[at % places.length]!;
      if (how === 'remove') delete container[key];
      else container[how === 'add' ? `${key}_2` : key] = value;
      return copy;
    });

const textOf = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));
const encoded = (value: Json) => encodeURIComponent(textOf(value).toWellFormed());

/** Fills in ids of the organization and its team, or anything. */
const filled = (path: string) =>
  fc.tuple(fc.nat(2), hostile).map(([choice, value]) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (name === 'organization_id') return acme.id;
      if (name === 'team_id') return acme.team.id;
      if (name === 'account_id') return acme.owner.account_id;
      return choice === 0 ? encoded(value).slice(0, 300) || 'x' : crypto.randomUUID();
    }),
  );

const requests = () =>
  fc.constantFrom(...operations).chain(({ method, path, query, body }) =>
    fc.record({
      method: fc.constant(method),
      path: filled(path),
      query: fc.array(fc.tuple(fc.constantFrom('x', ...query), hostile), { maxLength: 3 }),
      body: body === undefined ? fc.constant(undefined) : mutated(body),
    }),
  );

test('any change of a request to any route gets an answer that the API reference declares, and no 5xx', async () => {
  const { owner } = acme;
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(requests(), async ({ method, path, query, body }) => {
      const search = query.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
      const { status } = await owner.person.ask({
        ...{ method, path: search === '' ? path : `${path}?${search}`, headers: owner.bearer },
        ...(body === undefined ? {} : { body: body as object }),
      });
      seen.add(status);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 2_500, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );

  for (const status of [200, 400, 404, 422]) expect(seen).toContain(status);
  const profile = { path: '/api/user/profile', headers: owner.bearer };
  expect((await owner.person.ask(profile)).status).toBe(200);
});
