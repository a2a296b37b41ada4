import { expect, test } from 'vitest';
import { signUp } from '../../support/people/people.ts';
import { useProxiedGateway } from '../../support/worlds/use-proxied-gateway.ts';

const { world, gateway, proxy: postgres } = await useProxiedGateway('DATABASE_URL');
const ada = await signUp(world, gateway);

const keyNames = async () => {
  const { body } = await ada.person.ask<{ data?: { name: string }[] }>({
    path: '/api/keys',
    headers: ada.bearer,
  });
  return body.data?.map(({ name }) => name);
};

test('if slow steps add up to a timeout, the client gets a 503 saying that the change may have been saved, not asking to repeat it', async () => {
  // Opens all connections first, since opening one would add its own delay.
  await Promise.all(Array.from({ length: 20 }, keyNames));
  postgres.delay(1_500);

  const { status, body, headers } = await ada.person.ask({
    path: '/api/keys',
    body: { name: 'late', mcp_capabilities: ['tools'] },
    headers: ada.bearer,
  });
  postgres.pass();

  const message = expect.stringContaining('may have been saved');
  expect([status, body]).toEqual([
    503,
    { errors: [{ code: 'service_unavailable', message, detail: null }] },
  ]);
  // Clients that obey it would repeat the change.
  expect(headers.get('retry-after')).toBeNull();
  await expect.poll(keyNames, { timeout: 20_000 }).toEqual(['late']);
});
