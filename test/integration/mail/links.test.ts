import { expect, test } from 'vitest';
import { createDirectory, createToken, oktaUser } from '../../support/people/directory.ts';
import { invite } from '../../support/people/invitations.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs, createOrganization } from '../../support/people/organizations.ts';
import { texts } from '../../../src/texts/texts.ts';
import { addTotp, answer, challenge } from '../../support/people/factors.ts';
import { createKey, goodPassword, newEmail, signUp, tokenOf } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createThirdParty, someone } from '../../support/people/third-party.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(
  createThirdParty({}, { DASHBOARD_URL: 'http://localhost:5173' }),
);

const { keys } = await closeAfterTests(createConnectionsSupport(party.world, party.gateway));

const { frame: _frame, ...kinds } = texts.en.emails;
const changedPassword = 'quartz meadow tunnel 19';

/** Triggers every kind of e-mail through the API. */
async function causeEveryEmail(): Promise<void> {
  const { world, gateway } = party;
  const ada = await signUp(world, gateway, 'ada');
  const ben = await signUp(world, gateway, 'ben');
  const { ask } = ada.person;
  const expectSuccess = async (request: Promise<{ status: number }>) =>
    expect((await request).status).toBeLessThan(300);
  const current_password = changedPassword;
  const email = newEmail('new');

  await expectSuccess(ada.person.register({ email: ada.email }));
  const reset = { email: ada.email, captcha_token: await ada.person.captcha() };
  await expectSuccess(ask({ path: '/api/auth/password/reset', body: reset }));
  const change = { current_password: goodPassword, password: changedPassword };
  await expectSuccess(ask({ path: '/api/user/password', body: change, headers: ada.bearer }));
  const { id: organization } = await createOrganization(ben);
  await expectSuccess(invite(ben, organization, newEmail()));
  await addByDirectory(organization, ben, await signUp(world, gateway, 'cyd'));
  await letKeysExpire(ben, organization);
  const taken = { email: ada.email, current_password: goodPassword };
  await expectSuccess(
    ben.person.ask({ path: '/api/user/email', body: taken, headers: ben.bearer }),
  );
  await world.mailbox.next(ada.email);
  await party.signInAs(someone({ email: ada.email }));
  const moved = { email, current_password };
  await expectSuccess(ask({ path: '/api/user/email', body: moved, headers: ada.bearer }));
  const token = tokenOf(await world.mailbox.next(email));
  await expectSuccess(ask({ path: '/api/user/email/confirm', body: { token } }));
  const guarded = { ...ada, email, password: changedPassword };
  const { recovery_codes } = await addTotp(world, guarded);
  const { second_factor } = await challenge(guarded);
  const proof = { token: second_factor.token, code: recovery_codes[0] };
  await expectSuccess(answer(gateway, proof));
  await expectSuccess(
    ask({
      method: 'DELETE',
      path: '/api/user/account',
      body: { confirm: email, current_password },
      headers: ada.bearer,
    }),
  );
}

/** Lets a key of a person, and one of their organization, be about to expire. */
async function letKeysExpire(owner: SignedUp, organization: string): Promise<void> {
  const expires_at = '2100-01-01T00:00:00.000Z';
  await createKey(owner, { expires_at });
  const body = { name: 'ci', mcp_capabilities: [], expires_at };
  const { status } = await askAs(owner, { path: `/api/organizations/${organization}/keys`, body });
  expect(status).toBe(201);
  await party.world.query(`UPDATE api_key SET expires_at = now() + interval '3 days'`);
  await keys.expiry.queueDue();
}

/** Lets the directory of an organization add a person who has an account. */
async function addByDirectory(organization: string, owner: SignedUp, person: SignedUp) {
  const { world, gateway } = party;
  await gateway.service.organizations.setPlan(organization, 'enterprise');
  await world.query(
    `INSERT INTO sso_domain (organization_id, domain, txt_value, verified_at)
     VALUES ($1, $2, 'x', now())`,
    [organization, person.email.split('@')[1]],
  );
  const { token } = await createToken(owner, organization);
  const directory = createDirectory(gateway, `/scim/v2/${organization}`, token);
  const { status } = await directory.ask({ path: '/Users', body: oktaUser(person.email) });
  expect(status).toBe(201);
}

test('every link of every e-mail leads to a page of the dashboard below /app, or to one of the gateway wherever the dashboard is', async () => {
  await causeEveryEmail();

  const { emails } = party.world.mailbox;
  const subjects = Object.values(kinds).map(({ subject }) => subject);
  const sent = () => [...new Set(emails.map(({ subject }) => subject))];
  await expect.poll(() => sent().toSorted(), { timeout: 20_000 }).toEqual(subjects.toSorted());
  for (const { subject, html, text } of emails) {
    const links = [...`${html}\n${text}`.matchAll(/https?:[^\s"<]+/g)].map(([link]) => link);
    const kind = Object.values(kinds).find((candidate) => candidate.subject === subject)!;
    expect(links.length > 0, subject).toBe('action' in kind);
    for (const link of links) {
      const { origin, pathname } = new URL(link);
      const { DASHBOARD_URL, PUBLIC_URL } = party.gateway.config;
      if (pathname.startsWith('/app/')) {
        expect(origin, subject).toBe(DASHBOARD_URL);
        continue;
      }
      expect(origin, subject).toBe(PUBLIC_URL);
      const page = await fetch(`${party.gateway.url}${pathname}`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form')]);
    }
  }
});
