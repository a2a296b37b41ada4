import { describe, expect, test } from 'vitest';
import { shiftedClock } from '../../support/worlds/shifted-clock.ts';
import { createThirdParty, someone } from '../../support/people/third-party.ts';
import { createVisitor } from '../../support/people/visitor.ts';
import { startChildGateway } from '../attack/child-gateway.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());

const MINUTE = 60_000;

describe.each([
  ['ten minutes fast', 10 * MINUTE],
  ['ten minutes slow', -10 * MINUTE],
])('a gateway whose clock is %s', (_what, shift) => {
  test('accepts a current ID token, and refuses an expired one (F-C1)', async () => {
    const gateway = await startChildGateway(party.world, shiftedClock(shift));
    const now = Math.floor(Date.now() / 1_000);
    const signIn = async (iat: number) => {
      party.provider.person = { ...someone(), iat, exp: iat + 60 };
      return createVisitor(gateway.url).signIn('oidc');
    };

    const steps = [await signIn(now), await signIn(now - 300)];

    await gateway.stop();
    expect(steps.map(({ location }) => new URL(location).pathname)).toEqual([
      '/',
      '/sign-in/refused',
    ]);
  });
});
