import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createTracing } from '../../../src/platform/observability/create-tracing.ts';
import { createOtlpReceiver } from '../../support/peers/otlp-receiver.ts';

const required = {
  DATABASE_URL: 'postgres://localhost/x',
  REDIS_URL: 'redis://localhost',
  OPENFGA_API_URL: 'http://localhost:8080',
  OPENFGA_STORE_ID: 'store',
  SMTP_URL: 'smtp://localhost',
  SECRETS_KEY: 'x'.repeat(32),
};
const tracingWith = async (env: Record<string, string>) =>
  createTracing(
    loadConfig({ ...required, ...env }, () => ''),
    createLog('silent'),
  );

test('without a collector every function is returned unwrapped: tracing costs nothing', async () => {
  const tracing = await tracingWith({});
  const work = async () => 1;
  const listener = () => {};

  expect(tracing.wrap('x', work)).toBe(work);
  expect(tracing.requests(listener)).toBe(listener);
});

test('a long request has a bounded trace; work outside a request has none', async () => {
  const receiver = await createOtlpReceiver();
  onTestFinished(receiver.close);
  const tracing = await tracingWith({ OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` });
  const beat = tracing.wrap('beat', async () => {});
  const closed = Promise.withResolvers<void>();
  const server = createServer(
    tracing.requests((_request, response) => {
      response.on('close', closed.resolve);
      void (async () => {
        for (let beats = 0; beats < 200; beats += 1) await beat();
        response.end();
      })();
    }),
  );
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  await beat();
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}`)).text();
  await closed.promise;
  await tracing.stop();

  const [request, ...others] = receiver.spans.filter(({ kind }) => kind === 2);
  expect([request?.name, others]).toEqual(['GET', []]);
  const beats = receiver.spans.filter(({ name }) => name === 'beat');
  expect(beats.length).toBe(64);
  expect(beats.every(({ parent_id }) => parent_id === request!.span_id)).toBe(true);
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a token'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-token=%zz'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('an invalid %s prevents the start: %s', async (name, value) => {
  await expect(tracingWith({ [name]: value })).rejects.toThrow(name);
});
