import { expect, test } from 'vitest';
import { path } from '../tools/tool-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { faultsOf } from '../content/author.ts';
import { createFollowedWorld, ownServer, tool } from './followed-world.ts';

const { ada, newAuthor } = await closeAfterTests(createFollowedWorld());

test('tools that cannot be offered are skipped with the reason, and the others are added', async () => {
  const { upstream } = await ownServer(ada, [
    tool('good'),
    tool('invisible', { description: 'a\u202eb' }),
    tool('long', { description: 'x'.repeat(10_001) }),
    tool('remote', {
      inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/x' } } },
    }),
    tool('pattern', {
      inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(a)\\1' } } },
    }),
  ]);

  const { body } = await upstream.import();

  expect(body.created.map(({ tool: name }) => name)).toEqual(['good']);
  expect(body.skipped.map(({ tool: name, code }) => [name, code])).toEqual(
    ['invisible', 'long', 'remote', 'pattern'].map((name) => [name, 'unsuitable_upstream_tool']),
  );
});

test.each<[string, () => readonly object[]]>([
  ['10,000 tools', () => Array.from({ length: 10_000 }, (_, index) => tool(`t${index}`))],
  ['ten megabytes of descriptions', () => [tool('big', { description: 'x'.repeat(10_485_760) })]],
  ['two tools of one name', () => [tool('a'), tool('a')]],
  ['no names', () => [{ description: 'x', inputSchema: { type: 'object' } }]],
  ['schemas that are not objects', () => [{ ...tool('a'), inputSchema: 'x' }]],
])('a server that lists %s gets 422, and nothing is saved', async (_what, tools) => {
  const { owner, upstream } = await ownServer(ada, tools());
  const before = (await owner.rest(`${path}?limit=200`)).body.data;

  const { status, raw } = await upstream.import();

  expect(faultsOf({ status, body: raw })).toEqual([422, 'upstream_error']);
  expect((await owner.rest(`${path}?limit=200`)).body.data).toEqual(before);
});

test('what some model APIs refuse is a warning', async () => {
  const { upstream } = await ownServer(ada, [
    tool('a', { inputSchema: { type: 'object', properties: { 'b c': {} } } }),
  ]);

  const { body } = await upstream.import();

  expect(body.warnings).toMatchObject([{ tool: 'a', code: 'not_portable' }]);
});

test.each<[object, string]>([
  [{ prefix: 'A' }, '/prefix'],
  [{ prefix: 'a__b' }, '/prefix'],
  [{ tools: { names: ['{a,b}'] } }, '/tools/names/0'],
  [{ tools: { names: Array.from({ length: 51 }, () => 'a') } }, '/tools/names'],
  [{ dry_run: 'yes' }, '/dry_run'],
])('an invalid body %j gets 400', async (body, pointer) => {
  const { upstream } = await ownServer(ada, [tool('a')]);

  const { status, raw } = await upstream.import(body);

  expect([status, raw.errors[0]!.detail?.pointer]).toEqual([400, pointer]);
});

test('another account’s upstream answers like an absent one', async () => {
  const { upstream } = await ownServer(ada, [tool('a')]);
  const stranger = await newAuthor();
  const absent = upstream.path.replace(/[^/]+$/, crypto.randomUUID());

  for (const [rest, body] of [
    ['/import', {}],
    ['/changes', undefined],
    ['/changes/approve', {}],
  ] as const) {
    const foreign = await stranger.rest(`${upstream.path}${rest}`, body);
    expect([foreign.status, foreign.body]).toEqual([
      404,
      (await stranger.rest(`${absent}${rest}`, body)).body,
    ]);
  }
});
