import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createDirectory,
  createDirectoryWorld,
  createToken,
} from '../../support/people/directory.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createDirectoryWorld());
const acme = await world.provisioned('example.com');

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

test('a directory that exceeds its limit gets 429 as a SCIM error, with the seconds to wait', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-plans-'));
  const PLANS_FILE = join(folder, 'plans.json');
  writeFileSync(PLANS_FILE, JSON.stringify({ addresses: { scim: { minute: 2 } } }));
  const strict = await world.world.gateway({ env: { PLANS_FILE } });
  rmSync(folder, { recursive: true });
  const { token } = await createToken(acme.owner, acme.id);
  const directory = createDirectory(strict, acme.base, token);
  const read = () => directory.ask({ path: '/Users?count=1' });
  expect([(await read()).status, (await read()).status]).toEqual([200, 200]);

  const { status, headers, body } = await read();

  expect(status).toBe(429);
  expect(headers.get('content-type')).toMatch(/^application\/scim\+json/);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(body).toEqual({
    schemas: [ERROR],
    status: '429',
    detail: expect.stringMatching(/Try again later/),
  });
  const other = createDirectory(strict, acme.base, acme.token);
  expect((await other.ask({ path: '/Users?count=1' })).status).toBe(200);
});
