import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import type { OAuthPeer, TestClient, TokenAnswer } from '../../../support/people/oauth.ts';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import type { World } from '../../../support/worlds/world.ts';
import { ask } from '../../mcp/key-holder.ts';
import { scaledTimeout, trials } from '../../properties/trials.ts';

const USES = 20;
/** Each has their own client, so that their races do not wait for one another. */
const PEOPLE = 5;
/** `TEST_SCALE=100`, as at night, runs 500 rounds of each race. */
const ROUNDS = trials(5);
const TIMEOUT_MS = scaledTimeout(90_000);

let world: World;
let peers: OAuthPeer[];
let racers: Racer[];
beforeAll(async () => {
  world = await createWorld(oneAddress);
  const gateways = [await world.gateway(), await world.gateway()];
  peers = gateways.map(createOAuthPeer);
  racers = await Promise.all(
    Array.from({ length: PEOPLE }, async () => {
      const person = await signUp(world, gateways[0]!);
      const app = await insertClient(world, { owner: { account_id: person.account_id } });
      return { person, app };
    }),
  );
});
afterAll(() => world?.close());

interface Racer {
  person: SignedUp;
  app: TestClient;
}

/** Runs all rounds of a race, and returns the result of each. */
async function inRounds<Result>(run: (racer: Racer, round: number) => Promise<Result>) {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
  const results = racers.map(async (racer, index) => {
    const own: Result[] = [];
    for (const round of rounds.filter((one) => one % PEOPLE === index))
      own.push(await run(racer, round));
    return own;
  });
  return (await Promise.all(results)).flat();
}

/** Sends the same token request to both gateways at once. */
const sendAll = (send: (peer: OAuthPeer) => Promise<TokenAnswer>) =>
  Promise.all(Array.from({ length: USES }, (_, use) => send(peers[use % peers.length]!)));

const outcomesOf = (answers: readonly TokenAnswer[]) =>
  answers.map(({ status, body }) => [status, ...(status === 200 ? [] : [body['error']])].join(' '));

/** Returns what became of the tokens that a request gave, once all others have been answered. */
async function fateOf({ app }: Racer, { access_token, refresh_token }: TokenAnswer['body']) {
  const refreshed = await peers[0]!.refresh(app, refresh_token!);
  const headers = { authorization: `Bearer ${access_token}` };
  const { status } = await ask(`${peers[1]!.url}/mcp`, headers, 'tools/list');
  return { refresh: outcomesOf([refreshed])[0], call: status };
}

/** Returns how often each connection's revocation was audited. */
async function revocations(): Promise<number[]> {
  const rows = await world.query<{ count: number }>(
    `SELECT (SELECT count(*)::int FROM audit_event a
       WHERE a.action = 'connection.revoke'
         AND a.units @> jsonb_build_array(jsonb_build_object('id', c.id)))
     FROM oauth_connection c`,
  );
  return rows.map(({ count }) => count);
}

const ENDED = { refresh: '400 invalid_grant', call: 401 };

test.each(['code', 'refresh token'] as const)(
  'of 20 parallel uses of one %s at two gateways one succeeds; all others get invalid_grant, and end the connection (rel:P7, rel:B5-7, rel:B5-14)',
  async (kind) => {
    const results = await inRounds(async (racer) => {
      const { app, person } = racer;
      const grant = await peers[0]!.authorize(app, person);
      const first = kind === 'code' ? null : await peers[0]!.exchange(app, grant);
      const answers = await sendAll((peer) =>
        first === null
          ? peer.exchange(app, grant)
          : peer.refresh(app, first.body['refresh_token']!),
      );
      const winner = answers.find(({ status }) => status === 200);
      return [outcomesOf(answers).toSorted(), await fateOf(racer, winner?.body ?? {})];
    });

    const others = Array.from({ length: USES - 1 }, () => '400 invalid_grant');
    expect(results).toEqual(results.map(() => [['200', ...others], ENDED]));
    expect(new Set(await revocations())).toEqual(new Set([1]));
  },
  TIMEOUT_MS,
);

test(
  'a refresh during the revocation of its connection revives nothing (rel:H2)',
  async () => {
    const results = await inRounds(async (racer, round) => {
      const { app, person } = racer;
      const { body } = await peers[0]!.exchange(app, await peers[0]!.authorize(app, person));
      const [refreshed, revoked] = await Promise.all([
        peers[round % 2]!.refresh(app, body['refresh_token']!),
        peers[1]!.revoke(app, body['refresh_token']!),
      ]);
      expect(revoked.status).toBe(200);
      expect(['200', '400 invalid_grant']).toContain(outcomesOf([refreshed])[0]);
      return fateOf(racer, refreshed.status === 200 ? refreshed.body : body);
    });

    expect(results).toEqual(results.map(() => ENDED));
  },
  TIMEOUT_MS,
);
