import { expect, test } from 'vitest';
import { newEmail, ownAddresses } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { createChanging } from './changing-email.ts';

const { world, gateway } = await useGateway(ownAddresses);
const changing = createChanging(world, gateway);

/** Requests an address seven times, with others in between, five minutes apart. */
async function pendingAfter(eve: SignedUp, email: string): Promise<string | null> {
  const other = newEmail('other');
  for (const asked of [...Array.from({ length: 6 }, () => email), other, email]) {
    expect((await changing.ask(eve, asked)).status).toBe(202);
    await changing.settled();
    await world.query(`UPDATE mail_cooldown SET sent_at = sent_at - interval '5 minutes'`);
  }
  const { body } = await eve.person.ask<{ pending_email: string | null }>({
    ...{ path: '/api/user/profile', headers: eve.bearer },
  });
  return body.pending_email === email ? 'the requested one' : 'another';
}

test('the profile does not reveal whether a requested address has an account (rel:1.1.5, B4-10; decisions 9: the same for a taken address)', async () => {
  const ben = await changing.signUp('ben');
  const [eve, mallory] = [await changing.signUp('eve'), await changing.signUp('mallory')];

  const taken = await pendingAfter(eve, ben.email);
  const free = await pendingAfter(mallory, newEmail('free'));

  expect(taken).toBe(free);
}, 120_000);
