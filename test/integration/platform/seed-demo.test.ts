import { execFile } from 'node:child_process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';
import type { Gateway } from '../../support/worlds/world.ts';
import { createPerson, signInAs } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';

const OWNER = 'ada@acme.example';

/** Connects a client; on a busy machine, the service may answer 503 at first. */
const connect = (gateway: Gateway, secret: string): Promise<Client> =>
  vi.waitFor(() => connectOnce(gateway, secret), { timeout: 60_000, interval: 500 });

async function connectOnce({ url }: Gateway, secret: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { 'X-API-Key': secret } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}

const runInShell = (command: string): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile('sh', ['-c', command], (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });

test('the demo can be looked at, used and removed', async () => {
  const world = await useWorld();
  const gateway = await world.gateway();
  const { demo } = gateway.service.seeding;
  const loaded = await demo.load();

  // One line works in a shell as it is.
  const command = loaded.curl.replace('localhost', '127.0.0.1');
  const stdout = await runInShell(command);
  expect(stdout).toContain('"highest":"1.10.0"');

  const ada = await signInAs({
    person: createPerson(gateway.url),
    email: OWNER,
    password: loaded.passwords.find(({ name }) => name === OWNER)!.secret,
  });
  const ask = async <Body>(path: string, method = 'GET', body?: unknown) =>
    (await ada.person.ask<Body>({ path, method, body, headers: ada.bearer })).body;
  const organization = `/api/organizations/${loaded.organization_id}`;

  // The denial of the demo. Secrets were shown to nobody, so the test makes keys with the same teams.
  type Listed = {
    data: { id: string; name: string; teams: { id: string }[]; last_used_at: string | null }[];
  };
  const { data: keys } = await ask<Listed>(`${organization}/keys`);
  const keyNamed = (name: string) => keys.find((key) => key.name === name)!;
  const twinOf = async (name: string) => {
    const team_ids = keyNamed(name).teams.map(({ id }) => id);
    const draft = { name: `${name} twin`, mcp_capabilities: ['tools'], team_ids };
    const { secret } = await ask<{ secret: string }>(`${organization}/keys`, 'POST', draft);
    return connect(gateway, secret);
  };
  const call = { name: 'web_fetch', arguments: { url: 'https://127.0.0.1/' } };
  const nightly = await twinOf('nightly-report');
  const release = await twinOf('ci-release');
  const denied = await nightly.callTool(call);
  const admitted = await release.callTool(call);
  const listed = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  expect(denied.structuredContent).toMatchObject({ error: { code: 'tool_not_permitted' } });
  expect(admitted.structuredContent).not.toMatchObject({ error: { code: 'tool_not_permitted' } });
  expect(await listed(nightly)).not.toContain('web_fetch');
  expect(await listed(release)).toContain('web_fetch');
  await Promise.all([nightly.close(), release.close()]);

  const explained = (name: string) =>
    ask<{ outcome: string }>(`${organization}/keys/${keyNamed(name).id}/explain?tool=web_fetch`);
  expect(await explained('nightly-report')).toMatchObject({ outcome: 'deny' });
  expect(await explained('ci-release')).toMatchObject({ outcome: 'allow' });

  expect(keyNamed('staging-bot').last_used_at).toBeNull();

  // Every tab of the access explorer has something to show.
  const access = `${organization}/access`;
  type Named = { data: { id: string; subject: { name: string } }[] };
  const { data: unused } = await ask<Named>(`${access}/unused`);
  expect(unused.map(({ subject }) => subject.name)).toEqual(
    expect.arrayContaining(['staging-bot', 'legacy-webhook']),
  );
  const { data: reviews } = await ask<Named>(`${access}/reviews`);
  const [right, left] = reviews.map(({ id }) => ({ review_id: id }));
  const diff = await ask<{ only_right: { subject: { name: string }; capability: string }[] }>(
    `${access}/diff`,
    'POST',
    { left, right },
  );
  expect(diff.only_right).toContainEqual(
    expect.objectContaining({
      subject: expect.objectContaining({ name: 'staging-bot' }),
      capability: 'agents',
    }),
  );
  const apply = `${access}/reviews/${right!.review_id}/apply/preview`;
  expect(await ask(apply, 'POST', {})).toMatchObject({ counts: { planned: 2, refused: 0 } });
  const listDenied = () => ask<Named>(`${access}/decisions?outcome=denied`);
  await expect
    .poll(async () => (await listDenied()).data.length, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(3);
  const { days } = await ask<{ days: { calls: number; refused: number }[] }>(
    `${organization}/usage/daily`,
  );
  expect(days.filter(({ calls }) => calls > 0).length).toBeGreaterThanOrEqual(29);
  expect(days.filter(({ refused }) => refused > 0).length).toBeGreaterThanOrEqual(29);
  const { data: events } = await ask<{ data: { at: string }[] }>(`${organization}/audit?limit=200`);
  const month = Date.now() - 28 * 86_400_000;
  expect(events.some(({ at }) => Date.parse(at) < month)).toBe(true);
  expect(world.mailbox.emails).toEqual([]);

  await expect(demo.load()).rejects.toThrow(/only where no organization exists/);
  expect(await demo.remove()).toBe(true);
  expect(await demo.isLoaded()).toBe(false);
  expect(await world.query('SELECT FROM account')).toEqual([]);
  expect(await world.query('SELECT FROM organization WHERE deleted_at IS NULL')).toEqual([]);
  expect(await demo.remove()).toBe(false);
}, 400_000);

test('people of the demo have what its file says, and what time brought', async () => {
  const world = await useWorld();
  const gateway = await world.gateway();
  const loaded = await gateway.service.seeding.demo.load();
  const passwordOf = (email: string) => loaded.passwords.find(({ name }) => name === email)!.secret;
  const signIn = (email: string) =>
    signInAs({ person: createPerson(gateway.url), email, password: passwordOf(email) });
  const keysOf = async (email: string) => {
    const { person, bearer } = await signIn(email);
    const path = '/api/keys';
    return (
      await person.ask<{ data: { name: string; default_agent: unknown }[] }>({
        path,
        headers: bearer,
      })
    ).body.data;
  };

  const ofCleo = await keysOf('cleo@acme.example');
  const ofBen = await keysOf('ben@acme.example');

  expect(ofCleo.find(({ name }) => name === 'cleo-drafts')!.default_agent).toEqual({
    available: false,
  });
  expect(ofBen.map(({ name }) => name)).toEqual(['ben-terminal']);
  const dora = await signIn('dora@acme.example');
  const audit = `/api/organizations/${loaded.organization_id}/audit`;
  const roles = `/api/organizations/${loaded.organization_id}/roles`;
  const draft = { name: 'More' };
  expect((await dora.person.ask({ path: audit, headers: dora.bearer })).status).toBe(200);
  expect((await dora.person.ask({ path: roles, body: draft, headers: dora.bearer })).status).toBe(
    403,
  );
}, 400_000);
