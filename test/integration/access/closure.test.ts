import fc from 'fast-check';
import { expect, test } from 'vitest';
import { organizationRoutes } from '../../support/access/organization-routes.ts';
import { names, withImplied } from '../../support/access/permissions.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { checkProperty, scaledTimeout } from '../properties/trials.ts';
import { createAcme } from './acme.ts';
import { deviations } from './matrix.ts';
import type { Caller } from './matrix.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const acme = await closeAfterTests(createAcme());

/** The permissions that imply others, which make a grant differ from its closure. */
const mutations = [...names.organization, ...names.team].filter(
  (name) => withImplied([name]).size > 1,
);

/** Returns a key of the Owner in the team, or of the organization, with a grant. */
async function callerWith(kind: 'key' | 'organization-key', carried: readonly string[]) {
  const grants = [{ scope: { type: 'org', org_id: acme.acme }, permissions: carried }];
  const made =
    kind === 'key'
      ? await acme.keyOf(acme.people.owner, { grants, org_scope: acme.acme, team_ids: [acme.red] })
      : await acme.organizationKey({ grants, team_ids: [acme.red] });
  const caller: Caller = {
    ...{ kind, headers: made.headers, person: 'owner', personal: null },
    ...{ organization: { held: 'all', carried }, inTeam: true, teams: ['red'] },
    name: `${kind} with ${carried.join(' ')}`,
  };
  return caller;
}

test(
  'a grant in an organization and its closure open the same routes, those of the table (G1, P18)',
  async () => {
    expect(mutations.length).toBeGreaterThan(50);
    await checkProperty(
      2,
      fc.asyncProperty(
        fc.subarray(mutations, { minLength: 3, maxLength: 12 }),
        fc.constantFrom('key' as const, 'organization-key' as const),
        async (granted, kind) => {
          const closure = [...withImplied(granted)];
          expect(closure.length).toBeGreaterThan(granted.length);
          const callers = [await callerWith(kind, granted), await callerWith(kind, closure)];
          const rows = [...organizationRoutes, ...teamRoutes];

          expect(await deviations(acme, rows, callers)).toEqual([]);
        },
      ),
      80_000,
    );
  },
  scaledTimeout(300_000),
);
