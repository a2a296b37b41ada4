import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import {
  endlessly,
  events,
  json,
  result,
  startHostile,
  tool,
} from '../../support/upstreams/hostile.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask } from '../mcp/key-holder.ts';

const { world, gateway } = await useGateway({ OUTBOUND_ALLOW: '127.0.0.1' });

type Behavior = Parameters<typeof startHostile>[0];
type Answer = Behavior[string];

const MEGABYTE = 1_048_576;
const onConnect = (answer: Answer): Behavior => ({ 'server/discover': answer, initialize: answer });
const onToolsList = (answer: Answer): Behavior => ({ 'tools/list': answer });
const pages = (page: (number: number) => object): Behavior => {
  let number = 0;
  return onToolsList((request, response) => json(response, result(request, page((number += 1)))));
};

/** Writes a little text at intervals, for as long as the connection is open. */
function drip(response: ServerResponse, text: string): void {
  const timer = setInterval(() => void response.write(text), 50);
  response.once('close', () => clearInterval(timer));
}

const cases: Record<string, Behavior> = {
  'a stream of comments without end': onConnect((_request, r) => endlessly(events(r), ': x\n\n')),
  'one line without end': onConnect((_request, r) => endlessly(events(r), 'x'.repeat(65_536))),
  'a stream that stays open': onConnect((_request, r) => void events(r).write(': wait\n\n')),
  'a stream that drips': onConnect((_request, r) => drip(events(r), ': x\n\n')),
  'JSON that drips': onToolsList((_request, r) => {
    r.writeHead(200, { 'content-type': 'application/json' });
    drip(r, ' ');
  }),
  nothing: onToolsList(() => undefined),
  'tools on a stream without end': onToolsList((_request, r) =>
    endlessly(events(r), 'data: {}\n\n'),
  ),
  'unrelated messages without end': onToolsList((_request, r) =>
    endlessly(events(r), 'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n'),
  ),
  'pages without end': pages((number) => ({ tools: [tool(`t${number}`)], nextCursor: 'again' })),
  'empty pages without end': pages((number) => ({ tools: [], nextCursor: String(number) })),
  'long empty pages without end': pages((number) => ({
    tools: [],
    _meta: { padding: 'x'.repeat(MEGABYTE) },
    nextCursor: String(number),
  })),
  'one tool without end': onToolsList((request, r) => {
    r.writeHead(200, { 'content-type': 'application/json' });
    const [begin] = JSON.stringify(result(request, { tools: [tool('t')] })).split('A tool.');
    r.write(begin);
    endlessly(r, 'x'.repeat(65_536));
  }),
};

/** Adds an upstream with this behavior to Ada's account. */
async function addUpstream(ada: SignedUp, behavior: Behavior) {
  const upstream = await startHostile(behavior);
  onTestFinished(upstream.close);
  const { status, body } = await ada.person.ask<{ id: string }>({
    path: '/api/me/upstreams',
    body: { name: `u${crypto.randomUUID()}`, url: upstream.url, headers: {} },
    headers: ada.bearer,
  });
  expect(status).toBe(201);
  return { ...upstream, path: `/api/me/upstreams/${body.id}/tools` };
}

/** Runs discovery; returns its status and code, and the bytes read from the upstream. */
async function discover(ada: SignedUp, upstream: Awaited<ReturnType<typeof addUpstream>>) {
  const { status, body } = await ada.person.ask<{ errors: { code: string }[] }>({
    path: upstream.path,
    headers: ada.bearer,
  });
  await expect.poll(upstream.open, { timeout: 5_000 }).toBe(0);
  return { answer: [status, body.errors[0]!.code], taken: upstream.taken() };
}

/** Calls a tool repeatedly while `discovery` is pending; returns the number of failed calls. */
async function callMeanwhile(ben: SignedUp, discovery: Promise<unknown>): Promise<number> {
  await selectTools(ben, ['calculator']);
  const { secret } = await createKey(ben);
  const call = { name: 'calculator', arguments: { expression: '6 * 7' } };
  const over = discovery.then(() => true);
  let failed = 0;
  do {
    const { body } = await ask(`${gateway.url}/mcp`, { 'x-api-key': secret }, 'tools/call', call);
    if (body.result.isError === true) failed += 1;
  } while (!(await Promise.race([over, pause(1_500, false)])));
  return failed;
}

test('an endless upstream is given up after little is read, and other accounts are served', async () => {
  const [ada, ben] = [await signUp(world, gateway, 'ada'), await signUp(world, gateway, 'ben')];
  const upstreams = new Map<string, Awaited<ReturnType<typeof addUpstream>>>();
  for (const [name, behavior] of Object.entries(cases))
    upstreams.set(name, await addUpstream(ada, behavior));

  const discoveries = Promise.all(
    Array.from(
      upstreams,
      async ([name, upstream]) => [name, await discover(ada, upstream)] as const,
    ),
  );

  expect(await callMeanwhile(ben, discoveries)).toBe(0);
  for (const [name, { answer, taken }] of await discoveries) {
    expect(answer, name).toEqual([422, 'upstream_error']);
    // At most four megabytes are read before the tools are known; the rest is in system buffers.
    expect(taken, name).toBeLessThan(12 * MEGABYTE);
  }
}, 60_000);
