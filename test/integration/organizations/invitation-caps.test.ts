import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { SentInvitation } from '../../../src/organizations/invitations/schema.ts';
import { hashSecret } from '../../../src/platform/secrets.ts';
import { accept, invite } from '../../support/people/invitations.ts';
import {
  askAs,
  askPresent,
  createOrganization,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { newEmail, oneAddress, signUp, tokenOf } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(oneAddress);

async function withOwner() {
  const owner = await signUp(world, gateway, 'owner');
  return { owner, id: (await createOrganization(owner)).id };
}
type Organization = Awaited<ReturnType<typeof withOwner>>;

const pathOf = ({ id }: Organization, invitation_id: string) =>
  `/api/organizations/${id}/invitations/${invitation_id}`;
const resend = ({ owner, ...rest }: Organization, invitation_id: string) =>
  askAs<SentInvitation>(owner, {
    ...{ method: 'POST', path: `${pathOf({ owner, ...rest }, invitation_id)}/resend` },
  });

/** Invites an address and resends until six e-mails were sent; returns the invitation. */
async function exhaust(organization: Organization, email: string): Promise<SentInvitation> {
  const { body } = await invite(organization.owner, organization.id, email);
  const sent = [body.sent];
  for (let count = 1; count < 6; count += 1)
    sent.push((await resend(organization, body.id)).body.sent);
  expect(sent).toEqual(Array.from({ length: 6 }, () => true));
  return body;
}

/** Returns the token of the received link that works now; earlier ones do not, and come twice. */
function currentToken({ id }: Pick<SentInvitation, 'id'>, email: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const rows = await world.query<{ token_hash: Buffer | null }>(
        'SELECT token_hash FROM organization_invitation WHERE id = $1',
        [id],
      );
      const stored = rows[0]?.token_hash;
      const found = world.mailbox.emails
        .filter(({ to, text }) => to === email && text.includes('/invite#'))
        .map(tokenOf)
        .find((token) => stored?.equals(hashSecret(token)));
      if (found === undefined) throw new Error('no link that works was received yet');
      return found;
    },
    { timeout: 15_000 },
  );
}

const statesOf = (email: string) =>
  world.query<{ state: string }>(
    `SELECT row_to_json(i)::text AS state FROM organization_invitation i WHERE email = $1`,
    [email],
  );

test('an organization sends an address at most six invitation e-mails an hour; a resend beyond changes nothing', async () => {
  const acme = await withOwner();
  const ada = await signUp(world, gateway);
  const { id } = await exhaust(acme, ada.email);
  const token = await currentToken({ id }, ada.email);
  const before = await statesOf(ada.email);

  const refused = await resend(acme, id);

  expect([refused.status, refused.body.sent, refused.body.status]).toEqual([200, false, 'pending']);
  expect(await statesOf(ada.email)).toEqual(before);
  const actions = await world.query(
    `SELECT FROM audit_event WHERE scope_id = $1 AND action = 'invitation.resend'`,
    [acme.id],
  );
  expect(actions.length).toBe(5);
  expect((await accept(ada, token)).status).toBe(200);
});

test('a new invitation beyond the cap is created without an e-mail, and can be resent later', async () => {
  const acme = await withOwner();
  const email = newEmail();
  const first = await exhaust(acme, email);
  await askAs(acme.owner, { method: 'DELETE', path: pathOf(acme, first.id) });

  const created = await invite(acme.owner, acme.id, email);
  expect([created.status, created.body.sent, created.body.status]).toEqual([201, false, 'pending']);
  expect(outcomeOf(await resend(acme, first.id))).toEqual([409, 'invitation_ended']);
  await world.query(
    `UPDATE mail_job SET requested_at = requested_at - interval '61 minutes' WHERE address = $1`,
    [email],
  );
  expect((await resend(acme, created.body.id)).body.sent).toBe(true);
});

test('six invitations by a stranger do not stop the e-mails of another organization to the address', async () => {
  const [stranger, acme] = [await withOwner(), await withOwner()];
  const ada = await signUp(world, gateway);
  await exhaust(stranger, ada.email);

  const { status, body } = await invite(acme.owner, acme.id, ada.email);

  expect([status, body.sent]).toEqual([201, true]);
  const joined = await accept(ada, await currentToken(body, ada.email));
  expect([joined.status, joined.body.id]).toEqual([200, acme.id]);
});

test('all organizations together send an address at most sixty invitation e-mails an hour', async () => {
  const email = newEmail();
  const other = await withOwner();
  await world.query(
    `INSERT INTO mail_job (id, kind, address, give_up_at, claimed, outcome, finished_at, sender_id)
     SELECT gen_random_uuid(), 'invitation', $1, now(), true, 'sent', now(), gen_random_uuid()
     FROM generate_series(1, 59)`,
    [email],
  );
  const sentBy = async ({ owner, id }: Organization) => (await invite(owner, id, email)).body.sent;

  expect(await sentBy(other)).toBe(true);
  expect(await sentBy(await withOwner())).toBe(false);
  expect((await invite(other.owner, other.id, newEmail())).body.sent).toBe(true);
});

test('a person who deletes and creates organizations in turn sends an address at most six invitation e-mails an hour', async () => {
  const [{ owner: eve, id: first }, acme] = [await withOwner(), await withOwner()];
  const ada = await signUp(world, gateway);
  const removeAs = (id: string) =>
    askPresent(eve, {
      ...{ method: 'DELETE', path: `/api/organizations/${id}`, body: { confirm: 'Acme' } },
    });
  await exhaust({ owner: eve, id: first }, ada.email);
  expect((await removeAs(first)).status).toBe(204);
  const second = (await createOrganization(eve)).id;

  const refused = await invite(eve, second, ada.email);
  const accepted = await invite(acme.owner, acme.id, ada.email);

  expect([refused.status, refused.body.sent]).toEqual([201, false]);
  expect([accepted.status, accepted.body.sent]).toEqual([201, true]);
  expect((await invite(eve, second, newEmail())).body.sent).toBe(true);
});

test('concurrent invitations and resends exceed no cap', async () => {
  const acme = await withOwner();
  const { body } = await invite(acme.owner, acme.id, newEmail());

  const answers = await Promise.all(Array.from({ length: 10 }, () => resend(acme, body.id)));

  const sent = answers.filter((answer) => answer.status === 200 && answer.body.sent);
  expect(sent.length).toBeLessThanOrEqual(5);
  const counted = await world.query('SELECT FROM mail_job WHERE sender_id = $1', [acme.id]);
  expect(counted.length).toBeLessThanOrEqual(6);
});

test('`sent` does not reveal whether an address has an account', async () => {
  const acme = await withOwner();
  const sentTo = async (email: string) => {
    const { id } = await exhaust(acme, email);
    return (await resend(acme, id)).body.sent;
  };
  const known: SignedUp = await signUp(world, gateway);
  await world.query(`INSERT INTO mail_suppression VALUES ($1, now() + interval '1 day')`, [
    known.email,
  ]);

  expect([await sentTo(known.email), await sentTo(`${randomUUID()}@example.com`)]).toEqual([
    false,
    false,
  ]);
});
