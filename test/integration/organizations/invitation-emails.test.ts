import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accept, invite, invited } from '../../support/people/invitations.ts';
import {
  askAs,
  at,
  createOrganization,
  MEMBER,
  outcomeOf,
} from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { newEmail, oneAddress, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { texts } from '../../../src/texts/texts.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(oneAddress);

async function withOwner(name = 'Acme') {
  const owner = await signUp(world, gateway, 'owner');
  return { owner, id: (await createOrganization(owner, name)).id };
}
const setLocale = (who: SignedUp, locale: string) =>
  askAs(who, { method: 'PATCH', path: '/api/user/profile', body: { locale } });

test('an invitation is in the language of the recipient’s account or, if there is none, the inviter’s', async () => {
  const { owner, id } = await withOwner();
  const [ada, email] = [await signUp(world, gateway), newEmail()];
  await setLocale(owner, 'ja');
  await setLocale(ada, 'ar');

  const known = await invite(owner, id, ada.email);
  const unknown = await invite(owner, id, email);

  expect((await world.mailbox.next(ada.email)).subject).toBe(texts.ar.emails.invitation.subject);
  expect((await world.mailbox.next(email)).subject).toBe(texts.ja.emails.invitation.subject);
  // The responses do not reveal which address has an account: only ids, addresses and times differ.
  const comparable = ({ status, body }: typeof known) => [
    status,
    { ...body, id: null, email: null, created_at: null, expires_at: null },
  ];
  expect(comparable(known)).toEqual(comparable(unknown));
});

test('the e-mail contains neither the organization’s name nor the inviter’s name or address', async () => {
  const { owner, id } = await withOwner('Visit https://evil.example now');
  const email = newEmail();

  await invite(owner, id, email);

  const { text, html } = await world.mailbox.next(email);
  expect(text + html).not.toMatch(/evil|Lovelace/);
  expect(text + html).not.toContain(owner.email);
});

test('no invitation, mail job or audit entry contains the token', async () => {
  const { owner, id } = await withOwner();
  const { token } = await invited(world, owner, { id, email: newEmail() });

  for (const table of ['organization_invitation', 'mail_job', 'audit_event'])
    expect(
      await world.query(`SELECT FROM ${table} t WHERE t::text LIKE $1`, [`%${token}%`]),
    ).toEqual([]);
});

test('creating, resending and revoking an invitation are in the audit log, without the address', async () => {
  const { owner, id } = await withOwner();
  const ada = await signUp(world, gateway);
  const one = await invited(world, owner, { id, email: ada.email });
  const path = `/api/organizations/${id}/invitations/${one.id}`;
  await askAs(owner, { method: 'POST', path: `${path}/resend` });
  await askAs(owner, { method: 'DELETE', path });

  const rows = await world.query<{ action: string; actor_id: string; detail: object | null }>(
    `SELECT action, actor_id, detail FROM audit_event
     WHERE scope_id = $1 AND action LIKE 'invitation.%' ORDER BY at`,
    [id],
  );
  expect(rows.map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['invitation.create', owner.account_id],
    ['invitation.resend', owner.account_id],
    ['invitation.revoke', owner.account_id],
  ]);
  expect(JSON.stringify(rows)).not.toContain(ada.email);
});

test('while the mail server is unavailable, inviting and resending get a 503, and nothing is saved', async () => {
  const { owner, id } = await withOwner();
  const one = await invited(world, owner, { id, email: newEmail() });
  const withoutMail = await world.gateway({ env: { SMTP_URL: 'smtp://127.0.0.1:1' } });
  const { person, bearer: headers } = at(owner, withoutMail);
  const path = `/api/organizations/${id}/invitations`;
  const saved = () =>
    world.query('SELECT id, email_id, token_hash FROM organization_invitation ORDER BY id');
  const before = await saved();

  const answers = [
    await person.ask<Errors>({ path, headers, body: { email: newEmail(), role_ids: [MEMBER] } }),
    await person.ask<Errors>({ method: 'POST', path: `${path}/${one.id}/resend`, headers }),
  ];

  expect(answers.map(outcomeOf)).toEqual([
    [503, 'email_unavailable'],
    [503, 'email_unavailable'],
  ]);
  expect(await saved()).toEqual(before);
});

test('an organization’s invitations per hour are limited, and so are its members together with open invitations', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plans-'));
  const PLANS_FILE = join(folder, 'plans.json');
  const plans = { free: { members: 3 }, addresses: { invitation: { hour: 4 } } };
  await writeFile(PLANS_FILE, JSON.stringify(plans));
  const small = await world.gateway({ env: { PLANS_FILE } });
  const organization = await withOwner();
  const owner = at(organization.owner, small);
  const ada = await signUp(world, gateway);
  const first = await invited(world, owner, { id: organization.id, email: ada.email });
  await invited(world, owner, { id: organization.id, email: newEmail() });

  expect(outcomeOf(await invite(owner, organization.id, newEmail()))).toEqual([
    422,
    'limit_reached',
  ]);
  expect((await accept(at(ada, small), first.token)).status).toBe(200);
  expect(outcomeOf(await invite(owner, organization.id, newEmail()))).toEqual([
    422,
    'limit_reached',
  ]);
  const limited = await invite(owner, organization.id, newEmail());
  expect(outcomeOf(limited)).toEqual([429, 'rate_limited']);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  await rm(folder, { recursive: true });
});

test('accepting an invitation is refused while the organization is full, and works once there is room', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plans-'));
  const PLANS_FILE = join(folder, 'plans.json');
  await writeFile(PLANS_FILE, JSON.stringify({ free: { members: 1 } }));
  const small = await world.gateway({ env: { PLANS_FILE } });
  const { owner, id } = await withOwner();
  const ada = await signUp(world, gateway);
  const { token } = await invited(world, owner, { id, email: ada.email });

  expect(outcomeOf(await accept(at(ada, small), token))).toEqual([422, 'limit_reached']);
  expect((await accept(ada, token)).status).toBe(200);
  await rm(folder, { recursive: true });
});
