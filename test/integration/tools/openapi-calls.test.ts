import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { createWorkerPool } from '../../../src/catalog/worker-pool.ts';
import { callHttp } from '../../../src/content/tools/http-call.ts';
import { openedSecrets } from '../../../src/content/tools/secrets.ts';
import { httpProblems } from '../../../src/content/tools/http-problems.ts';
import { inputSchemaProblems } from '../../../src/content/tools/input-schema.ts';
import { importOpenApi } from '../../../src/content/tools/openapi/import.ts';
import type { ImportedTool } from '../../../src/content/tools/openapi/import.ts';
import { HttpDraft } from '../../../src/content/tools/schema.ts';
import { compileJsonSchema } from '../../../src/platform/json/json-schema.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { documentsAt } from '../../support/openapi/documents.ts';
import { expectBody } from '../../support/openapi/expect-body.ts';
import type { Arrived } from '../../support/openapi/expect-body.ts';
import { sampleOf } from '../../support/openapi/sample.ts';
import type { JsonObject } from '../../support/openapi/shorthand.ts';
import {
  cookiePart,
  follow,
  headerPart,
  parametersOf,
  pathPart,
  queryParts,
} from '../../support/openapi/serializer.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
// The documents are the same for every server, up to its address.
const names = Object.keys(documentsAt('http://x'));
const workers = createWorkerPool();
let arrived: Arrived[] = [];
const server = createServer((request, response) => {
  const { method = '', url = '', headers } = request;
  void buffer(request).then((body) => {
    arrived.push({ method, url, headers, body });
    response.setHeader('content-type', 'application/json').end('{}');
  });
});

await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const documents = documentsAt(`http://${host}`);
const outbound = createOutbound({ allow: [host] });
afterAll(async () => {
  await Promise.all([workers.close(), outbound.close()]);
  server.close();
});

const importDocument = async (name: string) => {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/openapi.json`;
  const found = await importOpenApi(documents[name]!, { isTaken: () => false, url });
  if (found === null) throw new Error('not OpenAPI');
  return found;
};

/** Returns an operation of a document by its label, with its path item. */
function operationOf(document: JsonObject, label: string) {
  const [method = '', ...rest] = label.split(' ');
  const route = rest.join(' ');
  const path = follow(document, document['paths'][route]);
  const key = method.toLowerCase();
  return { route, path, key, operation: path[key] as JsonObject };
}

async function call(tool: ImportedTool, values: JsonObject): Promise<Arrived> {
  const { http } = HttpDraft.parse({ ...tool, kind: 'http', secrets: {} });
  const secrets = openedSecrets(new Map(tool.secrets.map(({ name }) => [name, `secret-${name}`])));
  arrived = [];
  await callHttp(
    http,
    { arguments: values, secrets },
    {
      signal: new AbortController().signal,
      fairnessKey: 'one',
      person: null,
      requirePermitted: async () => {},
      now: () => new Date(),
      outbound,
      workers,
    },
  );
  expect(arrived).toHaveLength(1);
  return arrived[0]!;
}

/** Returns the argument that fills a parameter, by the tool's template; undefined if none does. */
function argumentFor(
  { http }: ImportedTool,
  parameter: JsonObject,
  route: string,
): string | undefined {
  const { in: location, name } = parameter;
  const only = (text: string | undefined) => /^\{\{([^.{}]+)\}\}$/.exec(text ?? '')?.[1];
  if (location === 'path') {
    const index = route
      .split('/')
      .toReversed()
      .findIndex((part) => part === `{${name}}`);
    return only(http.url.split('/').at(-1 - index));
  }
  const texts = { query: http.query, header: http.headers, cookie: http.cookies ?? {} }[
    location as 'query'
  ];
  return only(texts !== undefined && Object.hasOwn(texts, name) ? texts[name] : undefined);
}

const setByCredential = ({ http }: ImportedTool, { in: location, name }: JsonObject) =>
  location === 'header' &&
  Object.entries(http.headers).some(
    ([header, value]) =>
      header.toLowerCase() === String(name).toLowerCase() && value.includes('{{secret.'),
  );

/** Returns a sample whose header arguments are ASCII, as headers have to be. */
function argumentsOf({ http, input_schema }: ImportedTool, isFull: boolean): JsonObject {
  const values = sampleOf(input_schema, isFull) as JsonObject;
  const inHeaders = Object.values(http.headers).join(' ');
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      inHeaders.includes(`{{${name}}}`)
        ? JSON.parse(JSON.stringify(value).replaceAll('é', ''))
        : value,
    ]),
  );
}

describe.each(names)('a document in the style of: %s', (name) => {
  test('every parameter, body and response is in the tool, or named', async () => {
    const document: JsonObject = documents[name]!;
    const { tools, skipped, warnings } = await importDocument(name);

    for (const route of Object.keys(document['paths']).filter((key) => !key.startsWith('x-'))) {
      const isSkipped = (label: string) => skipped.some(({ operation }) => operation === label);
      if (isSkipped(route)) continue;
      const path = follow(document, document['paths'][route]);
      for (const key of [...METHODS, 'head', 'options', 'trace']) {
        if (path[key] === undefined) continue;
        const label = `${key.toUpperCase()} ${route}`;
        const tool = tools.find(({ operation }) => operation === label);
        expect([label, tool !== undefined]).not.toEqual([label, isSkipped(label)]);
        if (tool === undefined) continue;
        const named = warnings.filter(({ operation }) => operation === label);
        const isNamed = (text: string) => named.some(({ message }) => message.includes(text));
        const operation = path[key];
        for (const parameter of parametersOf(document, path, operation)) {
          const argument = argumentFor(tool, parameter, route);
          const isCarried =
            setByCredential(tool, parameter) ||
            (argument !== undefined &&
              Object.hasOwn(tool.input_schema['properties'] as JsonObject, argument));
          expect([label, parameter['name'], isCarried]).toEqual([
            label,
            parameter['name'],
            !isNamed(`parameter ${parameter['name']}`),
          ]);
        }
        if (operation.requestBody !== undefined) expect(tool.http.body).toMatch(/^\{\{body/);
        for (const [status, response] of Object.entries(operation.responses ?? {})) {
          const types = Object.keys(follow(document, response)['content'] ?? {});
          const isText = types.length === 0 || types.includes('application/json');
          expect(isNamed('The response is')).toBe(!isText && status.startsWith('2'));
        }
      }
    }
    for (const { detail } of warnings) expect(detail.pointer).toMatch(/^\/paths\/[^/]+\/\w+/);
  });

  test('every tool can be saved', async () => {
    for (const tool of (await importDocument(name)).tools) {
      const { http, input_schema } = HttpDraft.parse({ ...tool, kind: 'http', secrets: {} });
      expect(inputSchemaProblems(input_schema)).toEqual([]);
      expect(httpProblems(http, input_schema, outbound)).toEqual([]);
    }
  });

  test('every tool can be called, and its request arrives as OpenAPI says', async () => {
    const document: JsonObject = documents[name]!;
    for (const tool of (await importDocument(name)).tools)
      for (const isFull of [true, false]) {
        const values = argumentsOf(tool, isFull);
        const validate = compileJsonSchema(tool.input_schema, { allErrors: true, foreign: true });
        expect([validate(values), validate.errors]).toEqual([true, null]);

        expectRequest(document, tool, { values, request: await call(tool, values) });
      }
  });
});

function expectRequest(
  document: JsonObject,
  tool: ImportedTool,
  { values, request }: { values: JsonObject; request: Arrived },
): void {
  const { route, path, key, operation } = operationOf(document, tool.operation);
  const query: string[] = [];
  const cookies: string[] = [];
  let expectedPath = route;
  for (const parameter of parametersOf(document, path, operation)) {
    const argument = argumentFor(tool, parameter, route);
    if (argument === undefined || !Object.hasOwn(values, argument)) continue;
    const value = values[argument];
    const { name, in: location } = parameter;
    if (location === 'path')
      expectedPath = expectedPath.replace(`{${name}}`, () => pathPart(parameter, value));
    if (location === 'query') query.push(...queryParts(parameter, value));
    if (location === 'cookie') cookies.push(cookiePart(parameter, value));
    if (location === 'header')
      expect(request.headers[String(name).toLowerCase()]).toBe(headerPart(parameter, value));
  }
  const [sentPath = '', sentQuery = ''] = request.url.split('?');
  expect(request.method).toBe(key.toUpperCase());
  expect(sentPath.endsWith(new URL(`http://x${expectedPath}`).pathname)).toBe(true);
  const sent = sentQuery.split('&').filter((part) => part !== '' && !part.includes('secret-'));
  expect(sent).toEqual(query);
  const sentCookies = (request.headers.cookie ?? '').split('; ').filter((one) => one !== '');
  expect(sentCookies.filter((one) => !one.includes('secret-'))).toEqual(cookies);
  expectCredential(document, operation, request);
  if (operation['requestBody'] === undefined) expect(request.body).toHaveLength(0);
  else expectBody(document, operation, { tool, values, request });
}

function expectCredential(document: JsonObject, operation: JsonObject, request: Arrived): void {
  const [alternative] = operation['security'] ?? document['security'] ?? [];
  const [scheme] = Object.keys(alternative ?? {});
  const all = JSON.stringify([request.url, request.headers]);
  expect(all.includes('secret-')).toBe(scheme !== undefined);
  if (scheme === undefined) return;
  const { type, in: location, name, scheme: form } = document['components'].securitySchemes[scheme];
  const secret = `secret-${scheme.toUpperCase()}`;
  if (type !== 'apiKey')
    expect(request.headers.authorization).toBe(
      `${form === 'basic' ? 'Basic' : 'Bearer'} ${secret}`,
    );
  else if (location === 'header') expect(request.headers[name]).toBe(secret);
  else if (location === 'query') expect(request.url).toContain(`${name}=${secret}`);
  else expect(request.headers.cookie).toContain(`${name}=${secret}`);
}
