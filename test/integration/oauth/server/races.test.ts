import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import type { OAuthPeer, TokenAnswer } from '../../../support/people/oauth.ts';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { ask } from '../../mcp/key-holder.ts';
import { scaledTimeout, trials } from '../../properties/trials.ts';

const USES = 20;
/** `TEST_SCALE=100`, as at night, runs 500 rounds of each race. */
const ROUNDS = Array.from({ length: trials(5) }, (_, round) => round);
const TIMEOUT_MS = scaledTimeout(90_000);
const TRIES = 20;

const world = await closeAfterTests(createWorld(oneAddress));
const gateways = [await world.gateway(), await world.gateway()];
const peers: OAuthPeer[] = gateways.map(createOAuthPeer);
const env = { REFRESH_LEEWAY_S: '0' };
/** At gateways without a leeway for refresh tokens. */
const strict: OAuthPeer[] = [await world.gateway({ env }), await world.gateway({ env })].map(
  createOAuthPeer,
);
const ada = await signUp(world, gateways[0]!);
const app = await insertClient(world, { owner: { account_id: ada.account_id } });

/** Sends a token request until it is decided: a 503, on a busy machine, asks to send it again. */
async function decided(send: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send();
    if (answer.status !== 503 || tries === TRIES) return answer;
    await setTimeout(300);
  }
}

/** Sends the same token request to both gateways at once. */
const sendAll = (to: readonly OAuthPeer[], send: (peer: OAuthPeer) => Promise<TokenAnswer>) =>
  Promise.all(Array.from({ length: USES }, (_, use) => decided(() => send(to[use % to.length]!))));

const outcomesOf = (answers: readonly TokenAnswer[]) =>
  answers.map(({ status, body }) => [status, ...(status === 200 ? [] : [body['error']])].join(' '));

/** Returns what became of the tokens that a request gave, once all others have been answered. */
async function fateOf({ access_token, refresh_token }: TokenAnswer['body']) {
  const refreshed = await decided(() => strict[0]!.refresh(app, refresh_token!));
  const headers = { authorization: `Bearer ${access_token}` };
  const { status } = await ask(`${peers[1]!.url}/mcp`, headers, 'tools/list');
  return { refresh: outcomesOf([refreshed])[0], call: status };
}

/** Returns how often each connection's revocation was audited. */
async function revocations(): Promise<number[]> {
  const rows = await world.query<{ count: number }>(
    `SELECT (SELECT count(*)::int FROM audit_event a
       WHERE a.action IN ('connection.revoke', 'connection.replay')
         AND a.units @> jsonb_build_array(jsonb_build_object('id', c.id)))
     FROM oauth_connection c`,
  );
  return rows.map(({ count }) => count);
}

const ENDED = { refresh: '400 invalid_grant', call: 401 };

test.each(['code', 'refresh token without a leeway'] as const)(
  'of 20 parallel uses of one %s at two gateways one succeeds; all others get invalid_grant, and end the connection (rel:P7, rel:B5-7, rel:B5-14)',
  async (kind) => {
    const results: unknown[] = [];
    for (const _ of ROUNDS) {
      const grant = await peers[0]!.authorize(app, ada);
      const first = kind === 'code' ? null : await peers[0]!.exchange(app, grant);
      const answers = await sendAll(kind === 'code' ? peers : strict, (peer) =>
        first === null
          ? peer.exchange(app, grant)
          : peer.refresh(app, first.body['refresh_token']!),
      );
      const winner = answers.find(({ status }) => status === 200);
      results.push([outcomesOf(answers).toSorted(), await fateOf(winner?.body ?? {})]);
    }

    const others = Array.from({ length: USES - 1 }, () => '400 invalid_grant');
    expect(results).toEqual(results.map(() => [['200', ...others], ENDED]));
    expect(new Set(await revocations())).toEqual(new Set([1]));
  },
  TIMEOUT_MS,
);

test(
  '20 parallel uses of one refresh token at two gateways all succeed with the same successor, which works once (rel:P7, rel:B5-14)',
  async () => {
    const results: unknown[] = [];
    for (const _ of ROUNDS) {
      const { body } = await peers[0]!.exchange(app, await peers[0]!.authorize(app, ada));
      const answers = await sendAll(peers, (peer) => peer.refresh(app, body['refresh_token']!));
      const successors = new Set(answers.map((answer) => answer.body['refresh_token']));
      const outcomes = new Set(outcomesOf(answers));
      results.push([outcomes, successors.size, await fateOf(answers[0]!.body)]);
    }

    expect(results).toEqual(
      results.map(() => [new Set(['200']), 1, { refresh: '200', call: 200 }]),
    );
  },
  TIMEOUT_MS,
);

test(
  'a refresh during the revocation of its connection revives nothing (rel:H2)',
  async () => {
    const results: unknown[] = [];
    for (const round of ROUNDS) {
      const { body } = await peers[0]!.exchange(app, await peers[0]!.authorize(app, ada));
      const [refreshed, revoked] = await Promise.all([
        decided(() => peers[round % 2]!.refresh(app, body['refresh_token']!)),
        decided(() => peers[1]!.revoke(app, body['refresh_token']!)),
      ]);
      expect(revoked.status).toBe(200);
      expect(['200', '400 invalid_grant']).toContain(outcomesOf([refreshed])[0]);
      results.push(await fateOf(refreshed.status === 200 ? refreshed.body : body));
    }

    expect(results).toEqual(results.map(() => ENDED));
  },
  TIMEOUT_MS,
);
