import { beforeAll, expect, test } from 'vitest';
import { defineRoute, noContent } from '../../../src/caller/route.ts';
import type { Route } from '../../../src/caller/route.ts';
import { describeApi } from '../../../src/gateway/openapi/document.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema: object;
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: { $ref: string }[];
}

const describedApi = (routes: readonly Route[]) =>
  describeApi(routes, { baseUrl: 'http://x.example', sessionCookie: 'session' });
const operationsOf = ({ paths }: { paths: object }): Operation[] =>
  Object.values(paths as Record<string, Record<string, Operation>>).flatMap(
    ({ parameters: _parameters, ...methods }) => Object.values(methods),
  );

const componentsOf = ($ref: string): Parameter =>
  (api.components.parameters as Record<string, Parameter>)[$ref.split('/').at(-1)!]!;

let routes: Route[];
let operations: Operation[];
let api: ReturnType<typeof describedApi>;
beforeAll(async () => {
  routes = await declaredRoutes();
  api = describedApi(routes);
  operations = operationsOf(api);
});

/** Returns the operation of a route with this description. */
function operationWith(description: string | undefined) {
  const route = defineRoute({
    method: 'GET',
    path: '/api/things',
    access: 'public',
    operation_id: 'listThings',
    summary: 'List all things',
    description,
    tag: 'Things',
    responses: { 204: null },
    handle: () => noContent(),
  });
  return operationsOf(describedApi([route])).find(
    ({ operationId }) => operationId === 'listThings',
  )!;
}

test('an operation first says what its route adds to the title, then which permission it requires', () => {
  const requiring = operations.find(({ operationId }) => operationId === 'deleteCustomTool')!;
  expect(requiring.description).toMatch(/entries[.]\n\nRequires `can_delete_tools`[.]$/);
  expect(operationWith('At most ten.')).toMatchObject({
    summary: 'List all things',
    description: 'At most ten.',
  });
  expect(operationWith(undefined).description).toBeUndefined();
});

const VERBS = `
  Accept Add Apply Approve Cancel Change Check Claim Compare Complete Confirm Connect Create Decide Delete Disconnect End Explain
  Export Find Get Import Invite Link List Preview Promote Receive Refresh Register Remove Rename
  Replace Request Resend Reset Restore Revoke Sign Start Test Transfer Undo Unlink Verify Watch`
  .trim()
  .split(/\s+/);

test('every title is an imperative of three to six words without behavior', () => {
  const titles = operations.map(({ summary }) => summary);
  const faulty = titles.filter((title) => {
    const words = title.split(' ');
    return (
      words.length < 3 || words.length > 6 || !VERBS.includes(words[0]!) || /[;:,.]/.test(title)
    );
  });
  expect(faulty).toEqual([]);
});

test('every title is unique, so that a list of operations says which space each is for', () => {
  const titles = operations.map(({ summary }) => summary);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

test('a description is one to three plain sentences, each ending in a period', () => {
  const faulty = routes.flatMap(({ operation_id, description }) =>
    description === undefined || /^(?:[A-Z`][^;]*?[.](?: |$)){1,3}$/.test(description)
      ? []
      : [operation_id],
  );
  expect(faulty).toEqual([]);
});

test('every parameter of a path, a query or a header has a description', () => {
  const faulty = Object.entries(api.components.parameters as Record<string, Parameter>)
    .filter(([, { description }]) => !/^[A-Z`].{10,}[.`]$/.test(description ?? ''))
    .map(([name]) => name);
  expect(faulty).toEqual([]);
});

test('the limit of a page is an integer with its bounds and default, the cursor a text', () => {
  const { parameters } = operations.find(({ operationId }) => operationId === 'listApiKeys')!;
  const described = parameters!.map(({ $ref }) => componentsOf($ref));
  expect(described.slice(0, 2)).toMatchObject([
    { name: 'limit', schema: { type: 'integer', maximum: 200, default: 50 } },
    { name: 'cursor', schema: { type: 'string' } },
  ]);
  expect(described[0]!.schema).toEqual({
    ...{ type: 'integer', minimum: 1, maximum: 200, default: 50 },
  });
});

test('every tag in use is described, and every described tag is in use, in one group', () => {
  const used = new Set(operations.flatMap(({ tags }) => tags));
  const described = api.tags.map(({ name }) => name);
  expect(described.toSorted()).toEqual([...used].toSorted());
  expect(api['x-tagGroups'].flatMap(({ tags }) => tags)).toEqual(described);
  for (const { description } of api.tags) expect(description).toMatch(/^[A-Z].{10,}[.]$/);
});

test('no tag has more operations than a person can look through', () => {
  const tags = operations.flatMap((operation) => operation.tags);
  const counts = Map.groupBy(tags, (tag) => tag);
  expect([...counts].filter(([, { length }]) => length > 20)).toEqual([]);
});
