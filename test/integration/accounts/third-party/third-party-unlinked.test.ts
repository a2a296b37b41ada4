import { expect, test } from 'vitest';
import { newEmail, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import {
  cookieOf,
  createThirdParty,
  profileOf,
  someone,
} from '../../../support/people/third-party.ts';
import { followProvider } from '../../../support/people/visitor.ts';
import type { Visitor } from '../../../support/people/visitor.ts';
import { createChanging } from '../email-change/changing-email.ts';
import { createResetting, newPassword } from '../passwords/resetting.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());

const path = '/api/user/identities';

/** Unlinks the account's first provider. */
async function unlink(visitor: Visitor, current_password?: string): Promise<number> {
  const headers = cookieOf(visitor);
  const { body } = await visitor.person.ask<{ data: { id: string }[] }>({ path, headers });
  const removal = { path: `${path}/${body.data[0]!.id}`, body: { current_password }, headers };
  return (await visitor.person.ask({ method: 'DELETE', ...removal })).status;
}

/** Links the provider's current person from the session. */
async function link(visitor: Visitor, current_password?: string): Promise<void> {
  const { body, cookies } = await visitor.person.ask<{ location: string }>({
    path,
    body: { provider: 'oidc', current_password },
    headers: { ...cookieOf(visitor), origin: party.gateway.config.PUBLIC_URL },
  });
  const value = cookies.get('flow')!.split(';')[0]!;
  visitor.jar.set('flow', { value, path: '/api/auth' });
  await visitor.go(await followProvider(body.location));
}

test('a removed identity is not relinked by its address, only from a session', async () => {
  const ada = await signUp(party.world, party.gateway);
  const removed = someone({ email: ada.email });
  const first = await party.signInAs(removed);
  expect(await unlink(first.visitor, ada.password)).toBe(204);

  const refused = await party.signInAs(removed);

  await party.expectRefused(refused.step, 'link_in_session');
  await link(first.visitor, ada.password);
  const again = await party.signInAs(removed);
  expect((await profileOf(again.visitor)).body.id).toBe(ada.account_id);
});

test('a removal does not affect other identities with the address, or the removed identity with another address', async () => {
  const ada = await signUp(party.world, party.gateway);
  const removed = someone({ email: ada.email });
  const first = await party.signInAs(removed);
  expect(await unlink(first.visitor, ada.password)).toBe(204);

  const another = await party.signInAs(someone({ email: ada.email }));
  const again = await party.signInAs({ ...removed, email: someone().email });

  expect((await profileOf(another.visitor)).body.id).toBe(ada.account_id);
  const { body } = await profileOf(again.visitor);
  expect(body.verified).toBe(true);
  expect(body.id).not.toBe(ada.account_id);
});

test('undoing an address change leaves a way to sign in, even if a thief replaced the only provider', async () => {
  const { world, gateway } = party;
  const changing = createChanging(world, gateway);
  const resetting = createResetting(world, gateway.url);
  const owner = someone();
  const [thief, { email }] = [someone(), owner];
  const { body } = await profileOf((await party.signInAs(owner)).visitor);
  const ada = { account_id: body.id } as SignedUp;
  const back = await changing.move(ada, email, newEmail('thief'));
  const { visitor } = await party.signInAs(owner);
  party.provider.person = thief;
  await link(visitor);
  expect(await unlink(visitor)).toBe(204);

  expect(await changing.undo(back)).toBe(200);

  expect(await changing.count('account_identity WHERE account_id = $1', [body.id])).toBe(0);
  expect((await resetting.confirm(await resetting.linkFor(email))).status).toBe(200);
  expect((await resetting.signIn(email, newPassword)).body).toMatchObject({
    user: { id: body.id },
  });
});
