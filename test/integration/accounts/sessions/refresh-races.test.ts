import { expect, test } from 'vitest';
import { createPerson, oneAddress, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import type { Gateway } from '../../../support/worlds/world.ts';

const world = await closeAfterTests(createWorld(oneAddress));
const gateways: [Gateway, Gateway] = [await world.gateway(), await world.gateway()];

const AT_ONCE = 20;
const sessionOf = (token: string) => token.split('.')[0]!;
const refresh = (token: string, nth: number) =>
  createPerson(gateways[nth % 2]!.url).ask({
    method: 'POST',
    path: '/api/auth/refresh',
    headers: { cookie: `refresh=${token}` },
  });
const together = (token: string) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => refresh(token, nth)));
const statuses = (answers: readonly { status: number }[]) =>
  new Set(answers.map(({ status }) => status));
const tokenOf = ({ cookies }: Pick<SignedUp, 'cookies'>) => cookies.get('refresh')!;

test('a refresh token has one successor, even for concurrent requests on two gateways (P7, rel:B6-8)', async () => {
  const [chains, steps] = [4, 8];
  for (let chain = 0; chain < chains; chain += 1) {
    let token = tokenOf(await signUp(world, gateways[0]));
    for (let step = 0; step < steps; step += 1) {
      const answers = await together(token);

      expect(statuses(answers)).toEqual(new Set([200]));
      const successors = new Set(answers.map(tokenOf));
      expect(successors.size).toBe(1);
      [token] = successors as unknown as [string];
    }
    const [row] = await world.query(`SELECT rotation::int FROM account_session WHERE id = $1`, [
      sessionOf(token),
    ]);
    expect(row).toEqual({ rotation: steps });
  }
});

test('a token replayed late by concurrent requests gets no successor, and the session ends', async () => {
  for (let round = 0; round < 5; round += 1) {
    const first = tokenOf(await signUp(world, gateways[0]));
    const second = tokenOf(await refresh(first, round));
    await world.query(
      `UPDATE account_session SET rotated_at = rotated_at - interval '11 seconds' WHERE id = $1`,
      [sessionOf(first)],
    );

    const [replayed] = await Promise.all([together(first), refresh(second, round)]);

    const late = replayed.filter(({ status }) => status === 200);
    expect(late).toEqual([]);
    expect(statuses(await together(second))).toEqual(new Set([401]));
    const replays = await world.query(
      `SELECT FROM audit_event WHERE action = 'session.replay' AND units @> $1::jsonb`,
      [JSON.stringify([{ type: 'session', id: sessionOf(first) }])],
    );
    expect(replays).toHaveLength(1);
  }
});

test('tokens renewed during sign-out are invalid once the sign-out has responded (P4)', async () => {
  for (let round = 0; round < 5; round += 1) {
    const ada = await signUp(world, gateways[0]);
    const out = { method: 'POST', path: '/api/auth/logout', headers: ada.bearer };

    const [answers] = await Promise.all([together(tokenOf(ada)), ada.person.ask(out)]);

    const renewed = answers.filter(({ status }) => status === 200).map(tokenOf);
    for (const token of new Set([tokenOf(ada), ...renewed]))
      expect(statuses(await together(token))).toEqual(new Set([401]));
  }
});
