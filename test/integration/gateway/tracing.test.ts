import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOtlpReceiver } from '../../support/peers/otlp-receiver.ts';
import type { ReceivedSpan } from '../../support/peers/otlp-receiver.ts';
import { ownAddresses } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';
import { ask, createKeyHolder } from '../mcp/key-holder.ts';

let world: World;
let receiver: Awaited<ReturnType<typeof createOtlpReceiver>>;
beforeAll(async () => {
  world = await createWorld({ ...ownAddresses, AUTHZ_CACHE: 'on' });
  receiver = await createOtlpReceiver();
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

const TRACE = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const CLIENT = 'bbbbbbbbbbbbbbbb';
const traceOf = (digit: string) => digit.repeat(32);
const parentOf = (trace: string) => ({ traceparent: `00-${trace}-${CLIENT}-01` });

/** Creates a key holder at a gateway with tracing; its spans are sent when the gateway stops. */
async function useTracedGateway(env: Record<string, string> = {}) {
  const gateway = await world.gateway({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env },
  });
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['hash']);
  const key = await ada.createKey();
  const spansOf = (trace: string) => receiver.spans.filter((span) => span.trace_id === trace);
  return {
    ...{ gateway, ada, key, spansOf },
    call: (
      headers: Record<string, string>,
      name = 'hash',
      args: object = { text: 'an argument' },
    ) =>
      ask(ada.endpoint, { 'x-api-key': key.secret, ...headers }, 'tools/call', {
        name,
        arguments: args,
      }),
    stop: () => gateway.service.close(),
  };
}

const namesOf = (spans: readonly ReceivedSpan[]) => spans.map(({ name }) => name).toSorted();
const spanNamed = (spans: readonly ReceivedSpan[], name: string) =>
  spans.find((span) => span.name === name)!;

test('a request is one trace of authentication, authorization, admission and tool run; only a cold decision checks OpenFGA', async () => {
  const { call, spansOf, stop, ada, key } = await useTracedGateway({
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=of%20the%20collector',
    OTEL_SERVICE_NAME: 'gateway-of-a-test',
  });
  await call(parentOf(traceOf('1')));
  await call(parentOf(TRACE));
  await call(parentOf(traceOf('2')), 'hash', { text: 5 });
  await fetch(`${ada.person.url}/api/keys/${key.id}?token=in-the-query`, {
    headers: { ...ada.bearer, ...parentOf(traceOf('3')) },
  });
  await fetch(`${ada.person.url}/no/such/address`, { headers: parentOf(traceOf('4')) });
  await stop();

  const warm = spansOf(TRACE);
  expect(namesOf(warm)).toEqual(['POST /mcp', 'admit', 'authenticate', 'authorize', 'run tool']);
  const server = spanNamed(warm, 'POST /mcp');
  expect(server).toMatchObject({ parent_id: CLIENT, kind: 2, status: 0 });
  expect(server.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/mcp',
    'http.response.status_code': 200,
  });
  for (const span of warm.filter((candidate) => candidate !== server))
    expect([span.name, span.parent_id]).toEqual([span.name, server.span_id]);
  expect(spanNamed(warm, 'run tool').attributes).toEqual({
    'toolgate.tool': 'hash',
    'toolgate.outcome': 'ok',
  });
  expect(spanNamed(warm, 'authorize').attributes).toEqual({});

  const cold = spansOf(traceOf('1'));
  expect(spanNamed(cold, 'authorize').attributes).toEqual({ 'toolgate.cache_miss': true });
  expect(spanNamed(cold, 'check OpenFGA').parent_id).toBe(spanNamed(cold, 'authorize').span_id);
  expect(namesOf(spansOf(traceOf('2')))).toEqual(['POST /mcp', 'authenticate', 'authorize']);
  expect(namesOf(spansOf(traceOf('3')))).toContain('GET /api/keys/:key_id');
  expect(namesOf(spansOf(traceOf('4')))).toEqual(['GET unknown']);

  expect(receiver.resources.at(-1)).toMatchObject({ 'service.name': 'gateway-of-a-test' });
  expect(receiver.requests.at(-1)).toMatchObject({
    path: '/v1/traces',
    headers: { 'x-token': 'of the collector', 'content-type': 'application/x-protobuf' },
  });
});

test('no secret, argument, address or e-mail appears in a trace or a log record (rel:P15)', async () => {
  const { call, stop, ada, key } = await useTracedGateway();
  await call({});
  await call({}, 'a name that a client made up');
  await ada.person.ask({ path: '/api/auth/login', body: { email: ada.email, password: 'guess' } });
  await call({ 'x-api-key': 'sk_wrong' });
  await stop();

  const sent = receiver.requests.map(({ text }) => text).join('');
  const traces = receiver.requests.filter(({ path }) => path === '/v1/traces');
  expect(traces.map(({ text }) => text).join('')).not.toContain(key.id);
  const identifiers = [key.secret, ada.email, ada.password, ada.access_token, 'sk_wrong'];
  const written = ['an argument', 'a name that a client', ada.person.address, 'in-the-query'];
  for (const text of [...identifiers, ...written]) expect(sent).not.toContain(text);
});

test('a failure is recorded as an error without its message; a refusal is not an error', async () => {
  const { key, stop, spansOf } = await useTracedGateway();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OPENFGA_API_URL: 'http://127.0.0.1:1' };
  const withoutOpenFga = await world.gateway({ env });
  const list = (digit: string, secret: string) =>
    ask(
      `${withoutOpenFga.url}/mcp`,
      { 'x-api-key': secret, ...parentOf(traceOf(digit)) },
      'tools/list',
      {},
    );
  await list('5', 'sk_wrong');
  await list('8', key.secret);
  await Promise.all([stop(), withoutOpenFga.service.close()]);

  expect(spanNamed(spansOf(traceOf('5')), 'authenticate')).toMatchObject({
    ...{ status: 0, attributes: { 'error.type': 'invalid_credential' } },
  });
  expect(spanNamed(spansOf(traceOf('8')), 'authorize')).toMatchObject({
    ...{ status: 2, attributes: { 'error.type': 'service_unavailable' } },
  });
});

test('a client’s and an operator’s choice not to trace are respected', async () => {
  const { call, stop, spansOf } = await useTracedGateway();
  await call({ traceparent: `00-${traceOf('6')}-${CLIENT}-00` });
  await stop();
  expect(spansOf(traceOf('6'))).toEqual([]);

  const untraced = await useTracedGateway({ OTEL_TRACES_SAMPLER: 'always_off' });
  await untraced.call(parentOf(traceOf('7')));
  await untraced.stop();
  expect(spansOf(traceOf('7'))).toEqual([]);
});

test('an invalid traceparent starts a new trace', async () => {
  const noParents = [
    ...['', 'nonsense', '00-zz-zz-01', `ff-${TRACE}`, `00-${'0'.repeat(32)}-${CLIENT}-01`],
    `00-${TRACE}-${CLIENT}-01`.padEnd(9_000, '0'),
  ];
  const before = receiver.spans.length;
  const { call, stop } = await useTracedGateway();
  for (const traceparent of noParents) expect((await call({ traceparent })).status).toBe(200);
  await stop();

  const rootSpans = receiver.spans.slice(before).filter(({ name }) => name === 'POST /mcp');
  expect(rootSpans.map(({ parent_id }) => parent_id)).toEqual(noParents.map(() => ''));
  expect(new Set(rootSpans.map(({ trace_id }) => trace_id)).size).toBe(noParents.length);
});

test('an unavailable collector affects neither responses nor shutdown', async () => {
  const { call, stop } = await useTracedGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  });

  expect((await call({})).body.result.isError ?? false).toBe(false);
  await stop();
});
