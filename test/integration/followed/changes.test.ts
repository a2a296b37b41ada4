import { expect, onTestFinished, test } from 'vitest';
import { call, keyOf, listed, path } from '../tools/tool-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { addServer, createFollowedWorld, namesOf, ownServer, tool } from './followed-world.ts';
import { createRefresher } from './refresher.ts';

const { world, gateway, ada, v1, v2, newAuthor } = await closeAfterTests(createFollowedWorld());
const refresher = await closeAfterTests(createRefresher(gateway));
const otherRefresher = await closeAfterTests(createRefresher(gateway));

/** Makes a followed upstream due, and lets a gateway refresh it. */
async function refreshAll(upstream_id: string) {
  await world.query(`UPDATE followed_upstream SET due_at = now() - interval '1 second'
    WHERE upstream_id = '${upstream_id}'`);
  await refresher.refreshDue();
}

test('a new tool waits for approval, and agents do not see it before', async () => {
  const tools = [tool('a')];
  const { owner, upstream } = await ownServer(await newAuthor(), tools);
  await upstream.import();
  const secret = await keyOf(owner);
  tools.push(tool('b', { description: 'New.' }));

  await refreshAll(upstream.id);

  const { data } = await upstream.changes();
  expect(data).toMatchObject([
    { change: 'new', tool: 'b', name: 'docs_b', custom_tool_id: null, approved: null },
  ]);
  expect(data[0]!.found).toMatchObject({ description: 'New.' });
  expect(await listed(owner, secret)).not.toContain('docs_b');
  const approved = await upstream.approve({ tools: [{ tool: 'b', pin: data[0]!.found!.pin }] });
  expect(namesOf(approved.created)).toEqual(['docs_b']);
  expect(await listed(owner, secret)).toContain('docs_b');
  expect((await upstream.changes()).data).toEqual([]);
});

test('a changed tool waits with both descriptions, hidden, and is approved as it was seen', async () => {
  const tools = [tool('a'), tool('b')];
  const { owner, upstream } = await ownServer(await newAuthor(), tools);
  await upstream.import();
  const secret = await keyOf(owner);
  tools[0] = tool('a', { description: 'Reads ~/.ssh.' });

  await refreshAll(upstream.id);

  const [change] = (await upstream.changes()).data;
  expect(change).toMatchObject({
    ...{ change: 'changed', tool: 'a', name: 'docs_a' },
    approved: { description: 'A tool.', input_schema: { type: 'object' } },
    found: { description: 'Reads ~/.ssh.' },
  });
  expect(await listed(owner, secret)).not.toContain('docs_a');
  const stale = await upstream.approve({ tools: [{ tool: 'a', pin: 'seen before' }] });
  expect(stale).toMatchObject({ updated: [], skipped: [{ tool: 'a', code: 'pin_mismatch' }] });
  expect(await listed(owner, secret)).not.toContain('docs_a');
  const { updated } = await upstream.approve();
  expect(updated).toMatchObject([{ tool: 'a', id: change!.custom_tool_id }]);
  expect(await listed(owner, secret)).toContain('docs_a');
  expect((await call(owner, secret, 'docs_a', {})).result).toMatchObject({
    content: [{ text: 'called' }],
  });
});

test('a tool whose former description returned is released by its approval, without a version', async () => {
  const tools = [tool('a')];
  const { owner, upstream } = await ownServer(await newAuthor(), tools);
  await upstream.import();
  tools[0] = tool('a', { description: 'Other.' });
  await refreshAll(upstream.id);
  tools[0] = tool('a');
  await refreshAll(upstream.id);

  const { updated } = await upstream.approve();

  expect(updated).toHaveLength(1);
  const { data } = (await owner.rest(path)).body;
  expect(data).toMatchObject([{ version: 1, held: null }]);
});

test('a removed tool is marked, stays listed, fails calls clearly, and recovers', async () => {
  const tools = [tool('a'), tool('b')];
  const { owner, upstream } = await ownServer(await newAuthor(), tools);
  await upstream.import();
  const secret = await keyOf(owner);
  const removed = tools.pop()!;

  await refreshAll(upstream.id);

  expect((await upstream.changes()).data).toMatchObject([
    { change: 'removed', tool: 'b', name: 'docs_b', found: null },
  ]);
  expect(await listed(owner, secret)).toContain('docs_b');
  // The gateway that is called may have an older list for some minutes.
  await upstream.discover();
  expect((await call(owner, secret, 'docs_b', {})).result).toMatchObject({
    isError: true,
    structuredContent: {
      error: {
        code: 'upstream_error',
        message: expect.stringContaining('no longer has this tool'),
      },
    },
  });
  tools.push(removed);
  await refreshAll(upstream.id);
  await upstream.discover();
  expect((await upstream.changes()).data).toEqual([]);
  expect((await call(owner, secret, 'docs_b', {})).result).not.toHaveProperty('isError');
});

test('a server that is away hides nothing, and people see why', async () => {
  const { owner, server, upstream } = await ownServer(await newAuthor(), [tool('a')]);
  await upstream.import();
  const secret = await keyOf(owner);
  const before = (await upstream.changes()).following!;
  await server.close();

  await refreshAll(upstream.id);

  const { data, following } = await upstream.changes();
  expect(data).toEqual([]);
  expect(following).toMatchObject({ prefix: 'docs', checked_at: before.checked_at });
  expect(following!.failure).toMatch(/could not be called/);
  expect(await listed(owner, secret)).toContain('docs_a');
  expect((await call(owner, secret, 'docs_a', {})).result).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'upstream_error' } },
  });
});

test('only tools that the filter selects are offered later', async () => {
  const tools = [tool('get_a')];
  const { upstream } = await ownServer(await newAuthor(), tools);
  await upstream.import({ tools: { names: ['get_*'] } });
  tools.push(tool('get_b'), tool('put_b'));

  await refreshAll(upstream.id);

  expect((await upstream.changes()).data.map(({ tool: name }) => name)).toEqual(['get_b']);
  await upstream.import({ tools: { names: ['get_a'] }, follow: false });
  expect(await upstream.changes()).toMatchObject({ data: [], following: null });
});

test('one of two gateways lists the tools of an upstream that is due', async () => {
  const { server, upstream } = await ownServer(ada, [tool('a')]);
  await upstream.import({ prefix: 'once' });
  await world.query(`UPDATE followed_upstream SET due_at = now() + interval '1 hour'`);
  const lists = () => server.seen.filter(({ method }) => method === 'POST').length;
  const before = lists();
  await refreshAll(upstream.id);
  const once = lists() - before;

  await world.query(`UPDATE followed_upstream SET due_at = now()
    WHERE upstream_id = '${upstream.id}'`);
  await Promise.all([refresher, otherRefresher].map((one) => one.refreshDue()));

  expect(once).toBeGreaterThan(0);
  expect(lists() - before).toBe(2 * once);
});

test('an upstream of a suspended account waits', async () => {
  const owner = await newAuthor();
  const { server, upstream } = await ownServer(owner, [tool('a')]);
  await upstream.import();
  await world.query(`UPDATE account SET status = 'deactivated'
    WHERE id = (SELECT space_id FROM upstream WHERE id = '${upstream.id}')`);
  const before = server.seen.length;

  await refreshAll(upstream.id);

  expect(server.seen).toHaveLength(before);
});

test.each([
  ['2025', v1],
  ['2026', v2],
])(
  'what a server of protocol %s announces while a connection is open is offered within a minute',
  async (protocol, server) => {
    const upstream = await addServer(ada, server.url, `live${protocol}`);
    const { body } = await upstream.import({ prefix: `l${protocol}`, tools: { names: ['echo'] } });
    await upstream.import({ prefix: `l${protocol}`, tools: { names: ['echo', 'later'] } });
    const secret = await keyOf(ada);
    await call(ada, secret, body.created[0]!.name, { text: 'x' });
    server.tools['later'] = { ...server.tools['fails']!, title: 'Later' };
    onTestFinished(() => void delete server.tools['later']);

    await expect
      .poll(
        async () => {
          // The stream that receives the announcement may open after the first call.
          server.announce();
          return (await upstream.changes()).data.map(({ tool: name }) => name);
        },
        { timeout: 50_000, interval: 500 },
      )
      .toEqual(['later']);
  },
  60_000,
);

test('approving what does not wait is reported, and a limit saves nothing', async () => {
  const tools = [tool('a')];
  const { owner, upstream } = await ownServer(await newAuthor(), tools);
  await upstream.import();
  tools.push(...Array.from({ length: 50 }, (_, index) => tool(`t${index}`)));
  await refreshAll(upstream.id);

  expect((await upstream.approve({ tools: [{ tool: 'none' }] })).skipped).toMatchObject([
    { tool: 'none', code: 'unknown_upstream_tool' },
  ]);
  const refused = await owner.rest(`${upstream.path}/changes/approve`, {});
  expect([refused.status, refused.body.errors[0]!.code]).toEqual([422, 'limit_reached']);
  expect((await owner.rest(`${path}?limit=200`)).body.data).toHaveLength(1);
});

test('a key that may only change tools approves changed ones, and new ones wait', async () => {
  const tools = [tool('a')];
  const { owner, upstream } = await ownServer(await newAuthor(), tools);
  await upstream.import();
  tools[0] = tool('a', { description: 'Changed.' });
  tools.push(tool('b'));
  await refreshAll(upstream.id);
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_update_tools'] }];
  const { secret } = await owner.createKey({ grants });

  const { body } = await owner.restWith(secret)(`${upstream.path}/changes/approve`, {});

  expect(body).toMatchObject({
    ...{ created: [], updated: [{ tool: 'a' }] },
    skipped: [{ tool: 'b', code: 'not_permitted' }],
  });
});
