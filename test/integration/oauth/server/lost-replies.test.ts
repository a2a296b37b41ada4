import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import type { OAuthPeer, TestClient, TokenAnswer } from '../../../support/people/oauth.ts';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createProxy } from '../../../support/servers/proxy.ts';
import type { Loss, Proxy } from '../../../support/servers/proxy.ts';
import { createWorld } from '../../../support/worlds/world.ts';
import type { World } from '../../../support/worlds/world.ts';
import { checkProperty, scaledTimeout } from '../../properties/trials.ts';

let world: World;
let proxy: Proxy;
/** At a gateway that loses replies of the database, and at one that loses none. */
let losing: OAuthPeer;
let steady: OAuthPeer;
let ada: SignedUp;
beforeAll(async () => {
  // A reply that is waited for in vain must not use up the leeway.
  world = await createWorld({ ...oneAddress, REFRESH_LEEWAY_S: '60' });
  proxy = await createProxy(world.env['DATABASE_URL']!);
  const gateway = await world.gateway();
  steady = createOAuthPeer(gateway);
  losing = createOAuthPeer(await world.gateway({ env: { DATABASE_URL: proxy.url } }));
  ada = await signUp(world, gateway);
});
afterAll(async () => {
  await world?.close();
  await proxy?.close();
});

/** The statements of a token request that write, in their order; only the last one makes it last. */
const STATEMENTS = [
  'UPDATE oauth_connection SET activated_at',
  'UPDATE oauth_artifact SET consumed_at',
  'INSERT INTO oauth_artifact',
  'COMMIT\0',
] as const;

const outcomeOf = ({ status, body }: TokenAnswer) =>
  [status, ...(status === 200 ? [] : [body['error']])].join(' ');
const LATER = '503 temporarily_unavailable';
const INVALID = '400 invalid_grant';

/** Returns the number of refresh tokens of a client's live connections that can still be used. */
async function usable(client: TestClient): Promise<number> {
  const [row] = await world.query<{ count: number }>(
    `SELECT count(*)::int FROM oauth_artifact a JOIN oauth_connection c ON c.id = a.connection_id
     WHERE c.client_id = $1 AND c.revoked_at IS NULL AND a.model = 'RefreshToken'
       AND a.consumed_at IS NULL`,
    [client.id],
  );
  return row!.count;
}

const losses = STATEMENTS.flatMap((statement) =>
  (['code', 'refresh token'] as const).flatMap((kind) =>
    (['cut', 'mute'] as const).map((loss) => ({ statement, kind, loss })),
  ),
);

test.each(losses)(
  'a use of a $kind whose reply to $statement is lost ($loss) gives one chain of tokens or none (rel:H2)',
  async ({ statement, kind, loss }) => {
    const client = await insertClient(world, { owner: { account_id: ada.account_id } });
    const grant = await steady.authorize(client, ada);
    const first = kind === 'code' ? null : await steady.exchange(client, grant);
    const use = (peer: OAuthPeer) =>
      first === null
        ? peer.exchange(client, grant)
        : peer.refresh(client, first.body['refresh_token']!);
    const lost = proxy.lost();
    proxy.loseReply(statement, loss);

    const answers = [await use(losing), await use(losing), await use(steady)];

    expect(proxy.lost()).toBe(lost + 1);
    if (kind === 'refresh token') {
      expect(answers.map(outcomeOf)).toEqual([LATER, '200', '200']);
      expect(answers[1]!.body['refresh_token']).toBe(answers[2]!.body['refresh_token']);
      expect(await usable(client)).toBe(1);
      return;
    }
    // Without its reply, a COMMIT may have happened; the next use then is a reuse.
    expect(answers.map(outcomeOf)).toEqual(
      statement === 'COMMIT\0' ? [LATER, INVALID, INVALID] : [LATER, '200', INVALID],
    );
    // The reuse has ended the connection.
    expect(await usable(client)).toBe(0);
  },
);

/** What happens at one step of a client that refreshes its token again and again. */
type Step =
  | { lose: readonly [statement: (typeof STATEMENTS)[number], loss: Loss] }
  | 'pass'
  | 'revoke';

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('pass' as const) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...STATEMENTS)
      .map((statement) => ({ lose: [statement, 'cut'] as const })),
  },
  { weight: 1, arbitrary: fc.constant('revoke' as const) },
);

test(
  'a client that repeats refreshes whose replies are lost keeps its connection until it is revoked, and no token has two successors (rel:H2)',
  () =>
    checkProperty(
      12,
      fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 12 }), async (steps) => {
        const client = await insertClient(world, { owner: { account_id: ada.account_id } });
        const { body } = await steady.exchange(client, await steady.authorize(client, ada));
        let token = body['refresh_token']!;
        let isEnded = false;
        for (const step of steps) {
          if (step === 'revoke') {
            expect((await steady.revoke(client, token)).status).toBe(200);
            // The token of an ended connection is unknown, and revoking it is no error.
            isEnded = true;
          } else if (step !== 'pass') proxy.loseReply(...step.lose);
          // As a client does: after a 503, it sends the same token again.
          const answer = await losing.refresh(client, token);
          expect([LATER, INVALID, '200']).toContain(outcomeOf(answer));
          if (isEnded) expect(outcomeOf(answer)).not.toBe('200');
          else expect(outcomeOf(answer)).not.toBe(INVALID);
          if (answer.status === 200) {
            // A program that shares the token, and comes late.
            const late = await steady.refresh(client, token);
            expect(late.body['refresh_token']).toBe(answer.body['refresh_token']);
            token = answer.body['refresh_token']!;
          }
          expect(await usable(client)).toBeLessThanOrEqual(1);
          proxy.pass();
        }
      }),
    ),
  scaledTimeout(90_000),
);
