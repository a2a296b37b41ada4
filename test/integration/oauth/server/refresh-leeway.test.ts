import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import type { OAuthPeer, TokenAnswer } from '../../../support/people/oauth.ts';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { ask } from '../../mcp/key-holder.ts';

const world = await closeAfterTests(createWorld(oneAddress));
const gateways = [await world.gateway(), await world.gateway()] as const;
/** At two gateways with the default leeway. */
const peers: [OAuthPeer, OAuthPeer] = [createOAuthPeer(gateways[0]), createOAuthPeer(gateways[1])];
const ada = await signUp(world, gateways[0]);
const app = await insertClient(world, { owner: { account_id: ada.account_id } });

/** Authorizes the client; returns its first refresh token. */
async function connect(): Promise<string> {
  const { body } = await peers[0].exchange(app, await peers[0].authorize(app, ada));
  return body['refresh_token']!;
}

async function refresh(token: string, peer = peers[0]): Promise<TokenAnswer> {
  const answer = await peer.refresh(app, token);
  expect(answer.status).toBe(200);
  return answer;
}

const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };
const successorOf = ({ body }: TokenAnswer) => body['refresh_token']!;

async function canCall({ body }: TokenAnswer): Promise<number> {
  const headers = { authorization: `Bearer ${body['access_token']}` };
  return (await ask(`${peers[1].url}/mcp`, headers, 'tools/list')).status;
}

/** Moves all uses of refresh tokens into the past. */
const age = (seconds: number) =>
  world.query(
    `UPDATE oauth_artifact SET consumed_at = consumed_at - $1 * interval '1 second'
     WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL`,
    [seconds],
  );

const actionsOf = async (token: TokenAnswer) => {
  const rows = await world.query<{ action: string }>(
    `SELECT action FROM audit_event WHERE action LIKE 'connection.re%'
       AND units @> jsonb_build_array(jsonb_build_object('id', $1::text))`,
    [decodeJwt(token.body['access_token']!)['cid']],
  );
  return rows.map(({ action }) => action);
};

test('each use of a refresh token within the leeway returns a new access token and the same successor, at any gateway (rel:B5-14)', async () => {
  const token = await connect();
  const answers = [
    await refresh(token, peers[0]),
    await refresh(token, peers[1]),
    await refresh(token, peers[0]),
  ];

  expect(new Set(answers.map(successorOf)).size).toBe(1);
  const ids = answers.map(({ body }) => decodeJwt(body['access_token']!).jti);
  expect(new Set(ids).size).toBe(3);
  for (const answer of answers) expect(await canCall(answer)).toBe(200);
  await refresh(successorOf(answers[0]!));
  expect(await actionsOf(answers[0]!)).toEqual([]);
});

test('the leeway is counted from the first use of a refresh token; a later use ends the connection (rel:B5-14)', async () => {
  const token = await connect();
  const first = await refresh(token);
  await age(6);
  await refresh(token, peers[1]);
  await age(5);

  expect(await peers[1].refresh(app, token)).toMatchObject(INVALID_GRANT);
  expect(await peers[0].refresh(app, successorOf(first))).toMatchObject(INVALID_GRANT);
  expect(await canCall(first)).toBe(401);
  expect(await actionsOf(first)).toEqual(['connection.replay']);
});

test('a refresh token whose successor was used ends the connection, even within the leeway (rel:B5-14)', async () => {
  const token = await connect();
  const first = await refresh(token);
  const second = await refresh(successorOf(first));

  expect(await peers[1].refresh(app, token)).toMatchObject(INVALID_GRANT);
  expect(await peers[0].refresh(app, successorOf(second))).toMatchObject(INVALID_GRANT);
  expect(await canCall(second)).toBe(401);
});

test('a use within the leeway neither extends the successor nor outlives the connection (rel:H2)', async () => {
  const token = await connect();
  const first = await refresh(token);
  const expiry = () =>
    world.query(
      `SELECT max(expires_at)::text AS last FROM oauth_artifact WHERE model = 'RefreshToken'`,
    );
  const before = await expiry();
  await refresh(token, peers[1]);
  expect(await expiry()).toEqual(before);

  expect((await peers[0].revoke(app, successorOf(first))).status).toBe(200);
  expect(await peers[1].refresh(app, token)).toMatchObject(INVALID_GRANT);
});

test('a use within the leeway may request fewer scopes, and never more (rel:B5-14)', async () => {
  const token = await connect();
  const narrow = await peers[0].refresh(app, token, { scope: 'mcp_tools' });
  expect(narrow).toMatchObject({ status: 200, body: { scope: 'mcp_tools' } });
  const wider = await peers[1].refresh(app, token, { scope: 'mcp_tools mcp_resources' });
  expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  const all = await refresh(token);
  expect(successorOf(all)).toBe(successorOf(narrow));
  expect(all.body['scope']!.split(' ')).toContain('mcp_prompts');
});

test('three programs that share a refresh token keep their connection over many concurrent rounds (rel:B5-14)', async () => {
  let token = await connect();
  for (let round = 0; round < 12; round += 1) {
    const answers = await Promise.all(
      [0, 1, 2].map((program) => refresh(token, peers[(round + program) % 2])),
    );
    const successors = new Set(answers.map(successorOf));
    expect(successors.size).toBe(1);
    for (const answer of answers) expect(await canCall(answer)).toBe(200);
    [token] = successors as unknown as [string];
  }
});

test('while SECRETS_KEY is rotated, gateways with either key return the same successor', async () => {
  const key = 'next-secret-root-'.repeat(3);
  const old = world.env['SECRETS_KEY']!;
  const rotated = await world.gateway({ env: { SECRETS_KEY: key, SECRETS_KEY_FALLBACKS: old } });
  const prepared = await world.gateway({ env: { SECRETS_KEY_FALLBACKS: key } });
  const [next, previous] = [createOAuthPeer(rotated), createOAuthPeer(prepared)];
  for (const [first, second] of [
    [next, previous],
    [previous, next],
  ] as const) {
    const token = await connect();
    const answers = [await refresh(token, first), await refresh(token, second)];
    expect(successorOf(answers[0]!)).toBe(successorOf(answers[1]!));
  }
});

test('with REFRESH_LEEWAY_S=0, a second use of a refresh token ends the connection (rel:B5-14)', async () => {
  const strict = createOAuthPeer(await world.gateway({ env: { REFRESH_LEEWAY_S: '0' } }));
  const token = await connect();
  const first = await refresh(token, strict);
  expect(await strict.refresh(app, token)).toMatchObject(INVALID_GRANT);
  expect(await strict.refresh(app, successorOf(first))).toMatchObject(INVALID_GRANT);
});

test('a used refresh token whose successor is not derived from it, as those of earlier releases, ends the connection', async () => {
  const token = await connect();
  const first = await refresh(token);
  // An earlier release drew successors at random.
  await world.query(
    `DELETE FROM oauth_artifact WHERE model = 'RefreshToken' AND consumed_at IS NULL`,
  );
  expect(await peers[0].refresh(app, token)).toMatchObject(INVALID_GRANT);
  expect(await canCall(first)).toBe(401);
});
