import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import {
  createPerson,
  newEmail,
  ownAddresses,
  selectTools,
  tokenOf,
} from '../../support/people/people.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { encodings, readRedis, readTables } from '../../support/worlds/stored-texts.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';
import { connectV2Client } from '../mcp/legacy/client.ts';
import { startProcess } from './gateway-process.ts';

test('a secret appears only in the response that issues it, and in no log, table or Redis key (rel:P15)', async () => {
  const world = await useWorld({ PUBLIC_URL: 'http://localhost:7070', ...ownAddresses });
  const openfga = await createProxy(world.env['OPENFGA_API_URL']!);
  onTestFinished(openfga.close);
  const gateway = await startProcess({
    ...world.env,
    OPENFGA_API_URL: openfga.url,
    LOG_LEVEL: 'trace',
  });
  const endpoint = `${gateway.url}/mcp`;
  const person = createPerson(gateway.url);
  const email = newEmail();
  const password = `canary ${randomUUID()}`;
  const captcha_token = await person.captcha();
  await person.register({ email, password, captcha_token });
  const link = tokenOf(await world.mailbox.next(email));
  await person.ask({ path: '/api/auth/verify-email', body: { token: link } });
  const signedIn = await person.ask<{ access_token: string; user: { id: string } }>({
    path: '/api/auth/login',
    body: { email, password },
  });
  const { access_token } = signedIn.body;
  const bearer = { authorization: `Bearer ${access_token}` };
  const ada = { person, email, password, access_token, bearer, cookies: signedIn.cookies };
  await selectTools({ ...ada, account_id: signedIn.body.user.id }, ['calculator']);
  const created = await person.ask<{ id: string; secret: string }>({
    path: '/api/keys',
    headers: bearer,
    body: { name: 'canary', mcp_capabilities: ['tools'] },
  });
  const { secret } = created.body;
  const withKey = { 'x-api-key': secret };

  // Every secret is sent where it belongs, and where a client might send it by mistake.
  const client = await connectV2Client(endpoint, secret);
  await client.callTool({ name: 'calculator', arguments: { expression: '1' } });
  await ask(endpoint, withKey, 'tools/list');
  await ask(endpoint, withKey, 'tools/call', { name: secret, arguments: {} });
  await ask(endpoint, withKey, 'tools/call', {
    name: 'calculator',
    arguments: { expression: secret },
  });
  await ask(endpoint, { authorization: `Bearer ${secret}` }, 'tools/list');
  await ask(endpoint, bearer, 'tools/list');
  for (const wrong of [secret, password, access_token, link]) {
    await person.ask({ path: `/api/keys/${encodeURIComponent(wrong)}`, headers: bearer });
    await person.ask({ path: `/api/nowhere?q=${encodeURIComponent(wrong)}`, headers: bearer });
    await person.ask({ path: '/api/auth/login', body: { email, password: `${wrong}!` } });
    await person.ask({ path: '/api/auth/verify-email', body: { token: wrong } });
    await fetch(`${gateway.url}/api/keys`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: `{"name": "${wrong}", "name": ${wrong}`,
    });
  }
  openfga.down();
  for (const headers of [bearer, withKey, { 'x-api-key': `${secret}0` }])
    await person.ask({ path: '/api/catalog/tools', headers });
  await person.ask({ method: 'DELETE', path: `/api/keys/${created.body.id}`, headers: bearer });
  await ask(endpoint, withKey, 'tools/list');
  openfga.pass();
  await client.close().catch(() => {});
  await expect
    .poll(() => world.query('SELECT call_id FROM usage_ledger'), { timeout: 10_000 })
    .not.toEqual([]);

  const places = new Map([...(await readTables(world)), ...(await readRedis(world))]);
  expect(await gateway.stop()).toBe(0);
  places.set('the log', gateway.output());
  const cookies = [...signedIn.cookies.values()].map((value) => decodeURIComponent(value));
  const secrets: Record<string, string> = {
    secret,
    password,
    access_token,
    captcha_token,
    link,
    ...Object.fromEntries(cookies.map((value, index) => [`cookie ${index}`, value])),
  };

  expect(gateway.output(), 'the run was logged').toContain('"level":');
  expect([...places.keys()].filter((name) => name.startsWith('redis '))).not.toEqual([]);
  expect(places.get('table account')).toContain(email);
  const found = [...places].flatMap(([place, text]) =>
    Object.entries(secrets)
      .filter(([, value]) => encodings(value).some((encoded) => text.includes(encoded)))
      .map(([name]) => `${name} in ${place}`),
  );
  expect(found).toEqual([]);
}, 60_000);
