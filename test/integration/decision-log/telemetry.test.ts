import { expect, onTestFinished, test, vi } from 'vitest';
import { createOtlpReceiver } from '../../support/peers/otlp-receiver.ts';
import { askAs, createOrganization } from '../../support/people/organizations.ts';
import { createKey, oneAddress, selectTools, signUp } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { ask, toolId } from '../mcp/key-holder.ts';
import { decisionsOf } from './reading.ts';

const WARN = 13;
const INFO = 9;

async function useLoggedGateway(env: Record<string, string> = {}) {
  const world = await useWorld({ ...oneAddress, DECISIONS_SAMPLING: '1', ...env });
  const receiver = await createOtlpReceiver();
  onTestFinished(receiver.close);
  const gateway = await world.gateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  const owner = await signUp(world, gateway, 'owner');
  const { id } = await createOrganization(owner);
  const recordOf = (request_id: string | null) =>
    receiver.records.filter(
      ({ attributes }) => attributes['toolgate.decision.request_id'] === request_id,
    );
  return { world, receiver, gateway, owner, id, recordOf };
}

test('each recorded decision is one OpenTelemetry log record with the same fields, and ids in place of names', async () => {
  const { world, gateway, receiver, owner, id, recordOf } = await useLoggedGateway();
  const path = `/api/organizations/${id}/members`;
  const allowed = await askAs(owner, { path });
  const eve = await signUp(world, gateway, 'eve');
  await selectTools(eve, ['hash']);
  const key = await createKey(eve);
  const headers = { 'x-api-key': key.secret };
  const denied = await ask(`${gateway.url}/mcp`, headers, 'tools/call', {
    ...{ name: 'calculator', arguments: { expression: '1' } },
  });
  const request_id = allowed.headers.get('x-request-id');
  const [decision] = await decisionsOf(owner, id, request_id);

  const deniedId = denied.headers.get('x-request-id');
  await vi.waitFor(() => expect(recordOf(deniedId)).toHaveLength(1), 5_000);
  const [record, ...others] = recordOf(request_id);
  expect(others).toEqual([]);
  expect(record).toMatchObject({ name: 'toolgate.access_decision', severity: INFO });
  expect(Number(record!.time / 1_000_000n)).toBe(Date.parse(decision!.at));
  const prefixed = (fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [`toolgate.decision.${name}`, value]),
    );
  expect(record!.attributes).toEqual(
    prefixed({
      ...{ id: decision!.id, request_id, organization_id: id, outcome: 'allowed', sampled: 1 },
      ...{ 'subject.kind': 'member', 'subject.id': owner.account_id },
      ...{ action: 'can_view_organization_members', model_id: decision!.model_id },
      cached: decision!.cached,
    }),
  );
  expect(recordOf(deniedId)[0]).toMatchObject({
    severity: WARN,
    attributes: prefixed({
      ...{ outcome: 'denied', layer: 'selection', reason: 'not_selected' },
      ...{ 'item.family': 'tool', 'item.id': toolId('calculator'), 'subject.kind': 'key' },
    }),
  });
  expect(receiver.requests.some(({ path: sent }) => sent === '/v1/logs')).toBe(true);
});

test('no log records are sent if their exporter is off', async () => {
  const { owner, id, receiver } = await useLoggedGateway({ OTEL_LOGS_EXPORTER: 'none' });
  const { headers } = await askAs(owner, { path: `/api/organizations/${id}/members` });

  expect(await decisionsOf(owner, id, headers.get('x-request-id'))).toHaveLength(1);
  await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(0), 10_000);
  expect(receiver.records).toEqual([]);
});
