import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createThirdParty } from '../../../support/people/third-party.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const party = await closeAfterTests(createThirdParty());

const anything = fc.string({ unit: 'binary', maxLength: 600 });
const names = ['state', 'code', 'iss', 'error', 'response', 'id_token', 'return_path', 'x'];
const query = fc.array(fc.tuple(fc.constantFrom(...names), anything), { maxLength: 8 });
const cookie = fc.option(
  fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '%', '=', '"'), maxLength: 80 }),
);
const isRefusedPage = /\/sign-in\/refused#reason=[a-z_]+$/;

test('any callback leads to a page with a reason, and opens no session (P14)', async () => {
  const visitor = party.visitor();
  const real = new URL(await visitor.signInAtProvider('oidc')).searchParams.get('state')!;
  await fc.assert(
    fc.asyncProperty(query, cookie, fc.boolean(), async (pairs, flow, isReal) => {
      const search = new URLSearchParams(pairs);
      if (isReal) search.set('state', real);
      const response = await fetch(
        `${party.gateway.url}/api/auth/oauth/oidc/callback?${search.toString()}`,
        { redirect: 'manual', headers: flow === null ? {} : { cookie: `flow=${flow}` } },
      );

      expect(response.status).toBe(302);
      expect(response.headers.get('location')).toMatch(isRefusedPage);
      expect(response.headers.getSetCookie()).toEqual([
        expect.stringMatching(/^flow=; Max-Age=0; /),
      ]);
    }),
    { numRuns: 300 },
  );
  expect(await party.world.query('SELECT id FROM account_identity')).toEqual([]);
});

test('any return path leads to the provider and back to the dashboard (P14)', async () => {
  await fc.assert(
    fc.asyncProperty(anything, async (path) => {
      const search = new URLSearchParams({ return_path: path });
      const visitor = party.visitor();
      party.provider.person = { sub: 'one and the same' };
      const { status, location } = await visitor.signIn('oidc', `?${search.toString()}`);

      expect(status).toBe(302);
      expect(new URL(location).origin).toBe(party.gateway.config.DASHBOARD_URL);
    }),
    { numRuns: 40 },
  );
});
