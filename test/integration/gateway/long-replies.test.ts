import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createOrganization } from '../../support/people/organizations.ts';
import { createKey, oneAddress, signInAs, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { clientOf, promptsFile, slowItems } from '../jobs/job-client.ts';

const MAX_OF_OWNER = 8;
const ENTRIES = 48;
const MEGABYTE = 1_048_576;
/** More than a second, after which a long reply is checked again. */
const UNCHECKED_MS = 1_200;

const { world, gateway } = await useGateway(oneAddress);
const other = await world.gateway();
await slowItems(world, 100);

/** Signs up a person with a long audit log, also of an organization. */
async function newPerson() {
  const person = await signUp(world, gateway);
  await gateway.service.setAccountPlan(person.account_id, 'enterprise');
  const { id: organization_id } = await createOrganization(person);
  await world.query(
    `INSERT INTO audit_event (id, at, actor_kind, action, scope_kind, scope_id, organization_id,
       detail, detail_bytes)
     SELECT gen_random_uuid(), '2026-01-01T00:00:00Z'::timestamptz - make_interval(mins => n),
       'system', 'team.policy', kind, id, CASE kind WHEN 'organization' THEN id END,
       jsonb_build_object('after', repeat(md5(n::text), $4 / 32)), $4
     FROM generate_series(1, $3::int) AS n,
       (VALUES ('account', $1::uuid), ('organization', $2::uuid)) AS scope (kind, id)`,
    [person.account_id, organization_id, ENTRIES, MEGABYTE],
  );
  return { ...person, organization_id };
}

const OWN = '/api/me/audit?format=jsonl&action=team.policy';
const ofOrganization = (id: string) =>
  `/api/organizations/${id}/audit?format=jsonl&action=team.policy`;

/** Resolves as soon as the response begins, without reading its body. */
const begin = (path: string, headers: Record<string, string>) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${gateway.url}${path}`, { headers }, resolve).on('error', reject);
  });

/** Returns whether a file arrives whole, if this happens while it is sent. */
async function arrives(file: IncomingMessage, meanwhile: () => Promise<unknown>): Promise<boolean> {
  await meanwhile();
  await setTimeout(UNCHECKED_MS);
  return text(file).then(
    (whole) => whole.trimEnd().split('\n').length === ENTRIES,
    () => false,
  );
}

const logOut = (session: SignedUp) =>
  clientOf(other, session).ask('/api/auth/logout', { method: 'POST' });

test('a file is cut off when its session ends on another gateway; one of another session is not', async () => {
  const ada = await newPerson();
  const second = await signInAs(ada);
  const [ended, lasting] = [await begin(OWN, second.bearer), await begin(OWN, ada.bearer)];
  const loggedOut = logOut(second);

  expect(await arrives(ended, () => loggedOut)).toBe(false);
  expect(await arrives(lasting, () => loggedOut)).toBe(true);
});

test('a file is cut off when its key loses the permission, or is revoked', async () => {
  const ada = await newPerson();
  const client = clientOf(other, ada);
  const path = ofOrganization(ada.organization_id);
  const scope = { type: 'org', org_id: ada.organization_id };
  const grants = [{ scope, permissions: ['can_view_organization_audit'] }];
  const newKey = () => createKey(ada, { grants });
  const [narrowed, revoked, renamed] = [await newKey(), await newKey(), await newKey()];
  const files = await Promise.all(
    [narrowed, revoked, renamed].map(({ secret }) => begin(path, { 'x-api-key': secret })),
  );
  expect(files.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);

  const edit = (id: string, body: object) => () =>
    client.ask(`/api/keys/${id}`, { method: 'PATCH', body });
  const revoke = () => client.ask(`/api/keys/${revoked.id}`, { method: 'DELETE' });

  expect(await arrives(files[0]!, edit(narrowed.id, { grants: [] }))).toBe(false);
  expect(await arrives(files[1]!, revoke)).toBe(false);
  expect(await arrives(files[2]!, edit(renamed.id, { name: 'renamed' }))).toBe(true);
});

test('a stream of events ends with the error when its session has ended', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const { id } = (await client.begin(promptsFile(100))).body;
  const second = await signInAs(ada);
  const stream = await clientOf(gateway, second).watch(id);
  expect((await stream.next())!.event).toBe('progress');

  await logOut(second);
  const events = await stream.all();

  expect(events.at(-1)!.event).toBe('end');
  expect(events.at(-1)!.data.errors.map(({ code }) => code)).toEqual(['invalid_credential']);
  expect((await client.jobAt(id)).state).toBe('running');
  await client.cancel(id);
});

test('an owner gets eight files and streams of a gateway at a time; each that ends makes room', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const { id } = (await client.begin(promptsFile(200))).body;
  const refusedAt = async (path: string) => {
    const answer = await client.ask<{ errors: { code: string }[] }>(path);
    return [answer.status, answer.body.errors[0]!.code, answer.headers.get('retry-after')];
  };
  const streams = [];
  for (let count = 1; count < MAX_OF_OWNER; count += 1) streams.push(await client.watch(id));
  const file = await begin(OWN, ada.bearer);

  expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200));
  expect(await refusedAt(`/api/jobs/${id}/events`)).toEqual([429, 'rate_limited', '10']);
  expect(await refusedAt(OWN)).toEqual([429, 'rate_limited', '10']);
  expect((await client.ask('/api/me/audit')).status).toBe(200);
  expect((await clientOf(other, ada).watch(id)).response.status).toBe(200);
  file.destroy();
  await streams[0]!.close();
  const freed = async () => [(await client.watch(id)).response.status];
  await expect.poll(freed, { timeout: 5_000 }).toEqual([200]);
  await client.cancel(id);
});

test('a HEAD request and a refused one no longer count once they are answered', async () => {
  const ada = await newPerson();
  const headers = ada.bearer;
  for (let count = 0; count <= MAX_OF_OWNER; count += 1) {
    const head = await fetch(`${gateway.url}${OWN}`, { method: 'HEAD', headers });
    const refused = await fetch(`${gateway.url}${OWN}&limit=1`, { headers });
    const absent = await fetch(
      `${gateway.url}/api/organizations/${ada.account_id}/audit?format=csv`,
      { headers },
    );
    expect([head.status, refused.status, absent.status]).toEqual([200, 400, 404]);
  }

  const file = await begin(OWN, headers);
  expect(file.statusCode).toBe(200);
  // A gateway that stops waits for files that are being read.
  file.destroy();
});

test('a gateway that stops ends its streams of events', async () => {
  const ada = await newPerson();
  const stopping = await world.gateway();
  const client = clientOf(gateway, ada);
  const { id } = (await client.begin(promptsFile(200))).body;
  const stream = await clientOf(stopping, ada).watch(id);
  expect((await stream.next())!.event).toBe('progress');

  await stopping.service.close();

  expect((await stream.all()).map(({ event }) => event)).not.toContain('end');
  await client.cancel(id);
});
