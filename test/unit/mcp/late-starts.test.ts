import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemTools } from '../../../src/catalog/catalog.ts';
import { startEndpoint } from './endpoint.ts';
import type { EndpointInputs } from './endpoint.ts';

/** Longer than authorization counts as recent. */
const LONG_MS = 300;

type Endpoint = Awaited<ReturnType<typeof startEndpoint>>;
type Step = 'whileDeciding' | 'whileAdmitting';

/** Makes a step of every request slow once, and does something meanwhile. */
function meanwhile({ inputs }: Endpoint, step: Step, act: () => void): void {
  inputs[step] = async () => {
    inputs[step] = async () => {};
    await pause(LONG_MS);
    act();
  };
}

const requests: [what: string, send: (endpoint: Endpoint) => Promise<{ status: number }>][] = [
  ['a tool call', ({ call }) => call('echo', { value: 'ran' })],
  ['bootstrap', ({ call }) => call('bootstrap', { primary_agent: true })],
  ['setup', ({ call }) => call('setup')],
  ['tools/list', ({ post }) => post('tools/list')],
  ['prompts/get', ({ post }) => post('prompts/get', { name: 'absent' })],
  ['resources/read', ({ post }) => post('resources/read', { uri: 'toolgate://me/a' })],
];

test.each(requests)(
  '%s whose view is slow is refused if its key is revoked meanwhile (A5)',
  async (_, send) => {
    const endpoint = await startEndpoint();
    meanwhile(endpoint, 'whileDeciding', () => void (endpoint.inputs.isRevoked = true));

    expect(await send(endpoint)).toMatchObject({
      status: 401,
      body: { error: { data: { code: 'invalid_credential' } } },
    });
    expect(endpoint.admissions).toEqual([]);
  },
);

const admitted: typeof requests = requests.slice(0, 3);

test.each(admitted)(
  '%s whose admission is slow does not start if its key is revoked meanwhile (A5)',
  async (_, send) => {
    const endpoint = await startEndpoint();
    meanwhile(endpoint, 'whileAdmitting', () => void (endpoint.inputs.isRevoked = true));

    expect(await send(endpoint)).toMatchObject({
      status: 401,
      body: { error: { data: { code: 'invalid_credential' } } },
    });
    expect(endpoint.recorded).toMatchObject([
      { outcome: 'failed', layer: 'credential', admission: { month: '2026-01' } },
    ]);
  },
);

const losses: [loss: string, change: Partial<EndpointInputs>, code: string, layer: string][] = [
  ['the Tools capability is removed', { capabilities: [] }, 'capability_denied', 'capability'],
  ['the tool is deselected', { selected: [] }, 'tool_not_permitted', 'selection'],
];

test.each(losses)(
  'a call whose admission is slow does not start if %s meanwhile, and has been charged',
  async (_, change, code, layer) => {
    const endpoint = await startEndpoint();
    const changed = { ...change, nonce: 'changed' };
    meanwhile(endpoint, 'whileAdmitting', () => void Object.assign(endpoint.inputs, changed));

    const { status, body } = await endpoint.call('echo', { value: 'ran' });

    expect(status).toBe(200);
    expect(body.result.structuredContent.error.code).toBe(code);
    expect(endpoint.recorded).toMatchObject([
      { outcome: 'failed', layer, admission: { month: '2026-01' } },
    ]);
  },
);

test.each<Step>(['whileDeciding', 'whileAdmitting'])(
  'a call that is slow %s runs if its authorization still stands',
  async (step) => {
    const endpoint = await startEndpoint();
    meanwhile(endpoint, step, () => {});

    const { body } = await endpoint.call('echo', { value: 'ran' });

    expect(body.result.structuredContent).toEqual({ value: 'ran' });
    expect([endpoint.authenticationReads(), endpoint.contextReads()]).toEqual([2, 1]);
    expect(endpoint.admissions).toHaveLength(1);
  },
);

test('a call whose decisions are always slow runs after one decision and one more authentication', async () => {
  const whileDeciding = async () => {
    await pause(LONG_MS);
  };
  const endpoint = await startEndpoint({ whileDeciding });

  const { body } = await endpoint.call('echo', { value: 'ran' });

  expect(body.result.structuredContent).toEqual({ value: 'ran' });
  expect([endpoint.authenticationReads(), endpoint.contextReads()]).toEqual([2, 1]);
});

test('a call whose authentications are always slow runs after one decision', async () => {
  const whileAuthenticating = async () => {
    await pause(LONG_MS);
  };
  const endpoint = await startEndpoint({ whileAuthenticating });

  const { body } = await endpoint.call('echo', { value: 'ran' });

  expect(body.result.structuredContent).toEqual({ value: 'ran' });
  expect(endpoint.contextReads()).toBe(1);
});

test('a call whose authority changes while it is decided is decided again', async () => {
  const endpoint = await startEndpoint();
  meanwhile(endpoint, 'whileDeciding', () => {
    Object.assign(endpoint.inputs, { selected: [], nonce: 'changed' });
  });

  const { body } = await endpoint.call('echo', { value: 'ran' });

  expect(body.result.structuredContent.error.code).toBe('tool_not_permitted');
  expect(endpoint.admissions).toEqual([]);
});

test('a call that waits for nothing is authenticated once', async () => {
  const endpoint = await startEndpoint();

  await endpoint.call('echo', { value: 'ran' });

  expect([endpoint.authenticationReads(), endpoint.contextReads()]).toEqual([1, 1]);
});

test('a system tool that needs no view works in a slow outage of decisions', async () => {
  const endpoint = await startEndpoint({ capabilities: 'unavailable' });
  endpoint.inputs.whileDeciding = async () => {
    await pause(LONG_MS);
  };

  const { status, body } = await endpoint.call('setup');

  expect([status, body.result.isError]).toEqual([200, undefined]);
  expect(systemTools.setup).toBe(endpoint.recorded[0]!.facts.item_id);
});
