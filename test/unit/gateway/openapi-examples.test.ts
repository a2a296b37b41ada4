import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
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

/** Returns the reference of each body and each response of an operation, with a name for messages. */
function bodiesOf(operation: JsonObject): [name: string, $ref: string][] {
  const all = { request: operation['requestBody'], ...operation['responses'] } as JsonObject;
  return Object.entries(all).flatMap(([name, body]) => {
    if (body === undefined) return [];
    const [media] = Object.values(follow(document, body)['content'] ?? {}) as JsonObject[];
    return media === undefined
      ? []
      : [[`${operation['operationId']} ${name}`, media['schema'].$ref] as [string, string]];
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
  for (const [name, $ref] of bodies)
    for (const isFull of [true, false]) {
      const example = composeExample(document, { $ref }, isFull);
      const isValid = ajv.validate({ $ref: `toolgate${$ref}` }, example);
      expect(isValid, `${name}: ${ajv.errorsText()} ${JSON.stringify(example)}`).toBe(true);
    }
});

test('a route accepts the example of its body', () => {
  const refused: string[] = [];
  for (const { operation_id, body } of routes) {
    if (body === undefined) continue;
    const operation = operations.find(({ operationId }) => operationId === operation_id)!;
    const [, $ref] = bodiesOf(operation).find(([name]) => name.endsWith('request'))!;
    const { error } = body.safeParse(composeExample(document, { $ref }, false));
    if (error) refused.push(`${operation_id}: ${error.message}`);
  }
  expect(refused).toEqual([]);
});
