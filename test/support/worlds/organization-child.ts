// Makes one change of two scopes and kills itself with SIGKILL at the given step; run only by
// tests.
import { createAuthority } from './authority.ts';
import type { Deployment } from '../servers/deployment.ts';
import { createOrganizations, organizationProjections } from './organization-rows.ts';
import type { Member, Organization } from './organization-rows.ts';

export const twoScopeSteps = [
  'before the commit',
  'before Write 1',
  'after Write 1',
  'before Write 2',
  'after Write 2',
  'after applied',
] as const;

export interface TwoScopeScenario {
  deployment: Deployment;
  organization: Organization;
  members: [Member, Member];
  act: 'transfer' | 'grant' | 'service' | { revoke: string } | { join: string };
  step: (typeof twoScopeSteps)[number];
}

async function runScenario({ deployment, organization, members, act, step }: TwoScopeScenario) {
  const crashAt = (reached: string) => {
    if (reached === step) process.kill(process.pid, 'SIGKILL');
  };
  let writes = 0;
  const authority = await createAuthority(deployment, {
    register: organizationProjections,
    onAudit: () => crashAt('before the commit'),
    wrap: (engine) => ({
      ...engine,
      async write(delta) {
        writes += 1;
        crashAt(`before Write ${writes}`);
        const outcome = await engine.write(delta);
        crashAt(`after Write ${writes}`);
        return outcome;
      },
    }),
  });
  const acts = createOrganizations(authority);
  if (act === 'transfer') await acts.transfer(organization, ...members);
  else if (act === 'grant') await acts.grant(members[0]);
  else if (act === 'service') await acts.addService(organization);
  else if ('join' in act) await acts.join(organization, act.join);
  else await acts.revoke(members[0], act.revoke);
  crashAt('after applied');
}

if (process.env['TWO_SCOPE_SCENARIO'])
  await runScenario(JSON.parse(process.env['TWO_SCOPE_SCENARIO']) as TwoScopeScenario);
