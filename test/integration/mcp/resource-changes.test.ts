import { describe, expect, test } from 'vitest';
import { createAuthor, useAuthors } from '../content/author.ts';
import type { Author } from '../content/author.ts';
import { eventReader, openSession, request, send } from './legacy/client.ts';
import { createNotifier, write } from './resource-watching.ts';
import type { Notifier } from './resource-watching.ts';

const { world, gateway, ada, bob } = await useAuthors();
const there = await world.gateway();

const META = 'io.modelcontextprotocol/';
const envelope = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };
const uriOf = (path: string) => `toolgate://me/${path}`;
const UPDATED = 'notifications/resources/updated';
const CHANGED = 'notifications/resources/list_changed';

const setPolicy = async (author: Author, key: string, resource_policy: object) =>
  expect((await author.rest(`/api/keys/${key}`, { resource_policy }, 'PATCH')).status).toBe(200);

interface WatchedStream extends Notifier {
  /** URIs that the acknowledgement confirms; null if it has none. */
  first: string[] | null;
}

/** Subscribes at one gateway and opens the stream at another. */
async function watch2025(secret: string, uris: string[]): Promise<WatchedStream> {
  const session = await openSession(`${gateway.url}/mcp`, secret);
  for (const uri of uris) {
    const body = request('resources/subscribe', { uri });
    const answer = await send(`${gateway.url}/mcp`, secret, { session, body });
    expect(await answer.json()).toMatchObject({ result: {} });
  }
  const events = eventReader(await send(`${there.url}/mcp`, secret, { method: 'GET', session }));
  // The priming event: changes after it are announced.
  await events.next();
  return { ...createNotifier(events), first: null };
}

async function watch2026(secret: string, uris: string[], lists = true): Promise<WatchedStream> {
  const method = 'subscriptions/listen';
  const notifications = { resourcesListChanged: lists, resourceSubscriptions: uris };
  const answer = await send(`${there.url}/mcp`, secret, {
    version: '2026-07-28',
    headers: { 'mcp-method': method },
    body: request(method, { notifications, _meta: envelope }),
  });
  const events = eventReader(answer);
  const first = JSON.parse((await events.next())!.data) as {
    params: { notifications: { resourceSubscriptions?: string[] } };
  };
  return {
    ...createNotifier(events),
    first: first.params.notifications.resourceSubscriptions ?? null,
  };
}

describe.each([
  ['2025', watch2025],
  ['2026', watch2026],
] as const)('streams in MCP %s', (era, watch) => {
  const pathOf = (name: string) => `${era}/${name}`;
  const newKey = (author: Author, fields: object = {}) =>
    author.createKey({ mcp_capabilities: ['resources'], ...fields });

  test('announce a changed text by its URI, without announcing a changed list', async () => {
    const path = pathOf('text');
    const resource = await write(ada, path);
    const other = await write(ada, pathOf('other'));
    const { secret } = await newKey(ada);
    const stream = await watch(secret, [uriOf(path)]);

    await other.edit({ text: 'later' });
    await resource.edit({ text: 'again' });
    const notification = await stream.next();
    await resource.edit({ title: 'Shown in lists' });
    const both = [await stream.next(), await stream.next()];
    await stream.close();

    expect(notification).toEqual([UPDATED, uriOf(path)]);
    expect(both).toHaveLength(2);
    expect(both).toContainEqual([UPDATED, uriOf(path)]);
    expect(both).toContainEqual([CHANGED]);
  });

  test('announce an added resource and a deleted one', async () => {
    const { secret } = await newKey(ada);
    const stream = await watch(secret, []);
    const resource = await write(ada, pathOf('added'));
    const added = await stream.next();
    await resource.remove();
    const deleted = await stream.next();
    await stream.close();

    expect([added, deleted]).toEqual([[CHANGED], [CHANGED]]);
  });

  test('announce no change to a resource that the policy hides, but announce that the list changed when it is hidden (B3-16)', async () => {
    const [open, hidden] = [pathOf('open/a'), pathOf('hidden/a')];
    const resources = [await write(ada, open), await write(ada, hidden)];
    const policy = { mode: 'whitelist', patterns: [pathOf('open/**')] };
    const { id, secret } = await newKey(ada, { resource_policy: policy });
    const stream = await watch(secret, [uriOf(open)]);

    await resources[1]!.edit({ title: 'Not announced' });
    await setPolicy(ada, id, { mode: 'blacklist', patterns: [pathOf('open/**')] });
    const lost = await stream.next();
    await resources[0]!.edit({ title: 'Not readable now' });
    await write(ada, pathOf('announced next'));
    const next = await stream.next();
    await setPolicy(ada, id, policy);
    const back = [await stream.next(), await stream.next()];
    await stream.close();

    expect([lost, next]).toEqual([[CHANGED], [CHANGED]]);
    expect(back).toContainEqual([CHANGED]);
    expect(back).toContainEqual([UPDATED, uriOf(open)]);
  });

  test('announce no update when a hidden resource becomes visible again unchanged', async () => {
    const path = pathOf('same');
    await write(ada, path);
    const { id, secret } = await newKey(ada);
    const stream = await watch(secret, [uriOf(path)]);

    await setPolicy(ada, id, { mode: 'blacklist', patterns: [path] });
    expect(await stream.next()).toEqual([CHANGED]);
    await setPolicy(ada, id, { mode: 'all' });
    expect(await stream.next()).toEqual([CHANGED]);
    await write(ada, pathOf('announced afterwards'));
    const notification = await stream.next();
    await stream.close();

    expect(notification).toEqual([CHANGED]);
  });

  test('announce an update when a deleted path is created again', async () => {
    const path = pathOf('again');
    const first = await write(ada, path);
    const { secret } = await newKey(ada);
    const stream = await watch(secret, [uriOf(path)]);

    await first.remove();
    expect(await stream.next()).toEqual([CHANGED]);
    await write(ada, path);
    const notification = [await stream.next(), await stream.next()];
    await stream.close();

    expect(notification).toContainEqual([UPDATED, uriOf(path)]);
  });

  test('announce no changes of another account’s resources', async () => {
    const path = pathOf('shared/name');
    await write(ada, path);
    const resource = await write(bob, path);
    const { secret } = await newKey(ada);
    const stream = await watch(secret, [uriOf(path)]);

    await resource.edit({ title: 'Bob’s' });
    await resource.remove();
    await write(ada, pathOf('announced first'));
    const notification = await stream.next();
    await stream.close();

    expect(notification).toEqual([CHANGED]);
  });
});

describe('subscribing in MCP 2025', () => {
  const sendMethod = async (secret: string, session: string, method: string, uri: unknown) => {
    const answer = await send(`${there.url}/mcp`, secret, {
      session,
      body: request(method, { uri }),
    });
    return (await answer.json()) as { result?: object; error?: object };
  };

  test('to a foreign, hidden, absent or misspelt URI always gets the same error (B3-16)', async () => {
    await write(bob, 'of-bob');
    await write(ada, 'of-ada');
    await write(ada, 'hidden-from-key');
    const { secret } = await ada.createKey({
      mcp_capabilities: ['resources'],
      resource_policy: { mode: 'blacklist', patterns: ['hidden-*'] },
    });
    const withoutCapability = await ada.createKey({ mcp_capabilities: [] });
    const session = await openSession(`${gateway.url}/mcp`, secret);
    const sessionWithoutCapability = await openSession(
      `${gateway.url}/mcp`,
      withoutCapability.secret,
    );

    const uris = ['of-bob', 'hidden-from-key', 'absent', '%6ff-ada', 'of-ada/', '%'].map(uriOf);
    const error = { code: -32601, message: 'Not found' };
    for (const uri of uris)
      expect((await sendMethod(secret, session, 'resources/subscribe', uri)).error, uri).toEqual(
        error,
      );
    const unseen = await sendMethod(
      withoutCapability.secret,
      sessionWithoutCapability,
      'resources/subscribe',
      uriOf('of-ada'),
    );
    expect(unseen.error).toEqual(error);
    const seen = await sendMethod(secret, session, 'resources/subscribe', uriOf('of-ada'));
    expect(seen.result).toEqual({});
    const malformed = await sendMethod(secret, session, 'resources/subscribe', 5);
    expect(malformed.error).toMatchObject({ code: -32602 });
  });

  test('the 201st resource across all sessions of a key is refused until another is unsubscribed', async () => {
    const eve = await createAuthor(world, gateway);
    for (let index = 0; index < 50; index += 1) await write(eve, `many/${index}`);
    const { secret } = await eve.createKey({ mcp_capabilities: ['resources'] });
    const sessions: string[] = [];
    for (let index = 0; index < 5; index += 1)
      sessions.push(await openSession(`${gateway.url}/mcp`, secret));
    const subscribe = (session: string, index: number) =>
      sendMethod(secret, session, 'resources/subscribe', uriOf(`many/${index}`));

    for (const session of sessions.slice(0, 4)) {
      for (let index = 0; index < 50; index += 1)
        expect((await subscribe(session, index)).error).toBeUndefined();
    }
    const [first, , , , last] = sessions as [string, string, string, string, string];
    const refused = await subscribe(last, 7);
    const again = await subscribe(first, 7);
    await sendMethod(secret, first, 'resources/unsubscribe', uriOf('many/7'));
    const then = await subscribe(last, 7);

    expect(refused.error).toMatchObject({ code: -32602, data: { code: 'limit_exceeded' } });
    expect([again.result, then.result]).toEqual([{}, {}]);
  });

  test('an unsubscribed resource is no longer announced', async () => {
    const [kept, left] = [await write(ada, 'kept'), await write(ada, 'left')];
    const { secret } = await ada.createKey({ mcp_capabilities: ['resources'] });
    const session = await openSession(`${gateway.url}/mcp`, secret);
    for (const path of ['kept', 'left'])
      await sendMethod(secret, session, 'resources/subscribe', uriOf(path));
    await sendMethod(secret, session, 'resources/unsubscribe', uriOf('left'));
    const events = eventReader(await send(`${there.url}/mcp`, secret, { method: 'GET', session }));
    const stream = createNotifier(events);
    await left.edit({ text: 'x' });
    await kept.edit({ text: 'x' });
    const notification = await stream.nextUri();
    await stream.close();

    expect(notification).toBe(uriOf('kept'));
  });

  test('a change made while no stream was open is announced when one opens', async () => {
    const resource = await write(ada, 'meanwhile');
    const { secret } = await ada.createKey({ mcp_capabilities: ['resources'] });
    const session = await openSession(`${gateway.url}/mcp`, secret);
    await sendMethod(secret, session, 'resources/subscribe', uriOf('meanwhile'));
    await resource.edit({ text: 'x' });
    const events = eventReader(await send(`${there.url}/mcp`, secret, { method: 'GET', session }));
    const notification = await createNotifier(events).nextUri();
    await events.close();

    expect(notification).toBe(uriOf('meanwhile'));
  });
});

test('a listen request of MCP 2026 omits every URI that the key cannot read (B3-36)', async () => {
  await write(bob, 'only-of-bob');
  await write(ada, 'readable');
  const { secret } = await ada.createKey({ mcp_capabilities: ['resources'] });
  const uris = ['only-of-bob', 'absent', 'readable', '%72eadable'].map(uriOf);
  const stream = await watch2026(secret, uris, false);
  await stream.close();

  expect(stream.first).toEqual([uriOf('readable')]);
});

test('a change is announced even if its message was lost (mcp.md 6)', async () => {
  const resource = await write(ada, 'silent');
  const { secret } = await ada.createKey({ mcp_capabilities: ['resources'] });
  const stream = await watch2026(secret, [uriOf('silent')]);
  // As if another instance had committed and its message had never arrived.
  await world.query(`UPDATE item SET version = version + 1 WHERE id = $1`, [resource.id]);
  await world.query(`UPDATE authz_scope SET content = content + 1 WHERE id = $1`, [ada.account_id]);
  const notification = await stream.next();
  await stream.close();

  expect(notification).toEqual([UPDATED, uriOf('silent')]);
});
