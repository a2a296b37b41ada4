import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import { addPasskey, addTotp, answer, challenge, codeOf } from '../../support/people/factors.ts';
import { createPerson, newEmail, oneAddress } from '../../support/people/people.ts';
import type { Answer, SignedUp } from '../../support/people/people.ts';
import {
  cookieOf,
  createThirdParty,
  profileOf,
  someone,
} from '../../support/people/third-party.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { createChanging } from '../accounts/email-change/changing-email.ts';

const party = await closeAfterTests(createThirdParty({}, oneAddress));
const { world, gateway: one } = party;
const two = await world.gateway();
const changing = createChanging(world, one);

type SignIn = Answer<{ access_token: string }>;

/** Sign-ins that begin one after another at both gateways, during another operation. */
const signIns = (email: string, password: string): Promise<SignIn>[] =>
  [0, 1, 2, 3].map(async (n) => {
    await wait(n * 8);
    const { url } = n % 2 === 0 ? one : two;
    return createPerson(url).ask({ path: '/api/auth/login', body: { email, password } });
  });

const isAlive = async ({ body }: SignIn) =>
  (
    await createPerson(one.url).ask<unknown>({
      path: '/api/user/profile',
      headers: { authorization: `Bearer ${body.access_token}` },
    })
  ).status === 200;

/** Returns how many sign-ins in progress during `change` left a session that is valid after it. */
async function survivors(
  email: string,
  { password }: SignedUp,
  change: () => Promise<number>,
  delay: number,
): Promise<number> {
  const changed = wait(delay).then(change);
  const answers = await Promise.all(signIns(email, password));
  expect(await changed).toBe(200);
  const signedIn = answers.filter(({ status }) => status === 200);
  return (await Promise.all(signedIn.map(isAlive))).filter(Boolean).length;
}

describe('a sign-in in progress with an address leaves no session', () => {
  test('if a change to that address is undone, which ends all sessions (decisions 9, rel:P4)', async () => {
    const left: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const ada = await changing.signUp('ada');
      const email = newEmail('thief');
      const undoToken = await changing.move(ada, ada.email, email);
      left.push(await survivors(email, ada, () => changing.undo(undoToken), round * 6));
    }
    expect(left).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('if the address is changed, which ends all other sessions (decisions 9, rel:B6-5)', async () => {
    const left: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const ada = await changing.signUp('ada');
      const link = await changing.linkFor(ada, newEmail('new'));
      left.push(await survivors(ada.email, ada, () => changing.confirm(link), round * 6));
    }
    expect(left).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('even if its second factor is sent after the undo (decisions 9)', async () => {
    const ada = await changing.signUp('ada');
    const { secret } = await addTotp(world, ada);
    const email = newEmail('thief');
    const undoToken = await changing.move(ada, ada.email, email);
    const { second_factor } = await challenge({ ...ada, email });

    expect(await changing.undo(undoToken)).toBe(200);
    const { status } = await answer(one, { token: second_factor.token, code: codeOf(secret) });

    expect(status).toBe(401);
  });

  test('even if a provider verifies the address during the undo (decisions 9)', async () => {
    const left: unknown[] = [];
    for (let round = 0; round < 8; round += 1) {
      const ada = await changing.signUp('ada');
      const email = newEmail('thief');
      const undoToken = await changing.move(ada, ada.email, email);
      const visitor = party.visitor();
      party.provider.person = someone({ email });
      const returning = await visitor.signInAtProvider('oidc');

      const [undone] = await Promise.all([
        wait(round * 3).then(() => changing.undo(undoToken)),
        visitor.go(returning),
      ]);

      expect(undone).toBe(200);
      const [row] = await world.query<{ identities: number; sessions: number }>(
        `SELECT (SELECT count(*) FROM account_identity WHERE account_id = $1)::int AS identities,
           (SELECT count(*) FROM account_session
            WHERE account_id = $1 AND revoked_at IS NULL)::int AS sessions`,
        [ada.account_id],
      );
      left.push(row);
    }
    expect(left).toEqual(left.map(() => ({ identities: 0, sessions: 0 })));
  });
});

test('concurrently unlinking a provider and removing a passkey leaves one sign-in method (reference: identities, rel:1.3)', async () => {
  const counts: unknown[] = [];
  for (let round = 0; round < 8; round += 1) {
    const { visitor } = await party.signInAs(someone());
    const { person } = visitor;
    const bearer = cookieOf(visitor) as unknown as SignedUp['bearer'];
    const passkey = await addPasskey(
      { person, bearer },
      createAuthenticator(oneAddress.PUBLIC_URL),
    );
    const { body } = await person.ask<{ data: { id: string }[] }>({
      path: '/api/user/identities',
      headers: bearer,
    });
    const { body: me } = await profileOf(visitor);

    await Promise.all(
      [`identities/${body.data[0]!.id}`, `passkeys/${passkey.id}`].map((path) =>
        person.ask<unknown>({ method: 'DELETE', path: `/api/user/${path}`, headers: bearer }),
      ),
    );

    const [left] = await world.query<{ n: number }>(
      `SELECT (SELECT count(*) FROM account_identity WHERE account_id = $1)::int
            + (SELECT count(*) FROM account_passkey WHERE account_id = $1)::int AS n`,
      [me.id],
    );
    counts.push(left!.n);
  }
  expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
});
