import { expect, test } from 'vitest';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { decisionsOf } from './reading.ts';

const teams = await useTeams({ DECISIONS_SAMPLING: '1' });
const acme = await teams.organization();
const { id, owner } = acme;
const path = `/api/organizations/${id}`;
const bob = await teams.join(id, 'bob');

/** Sends a request, and returns its outcome and the decisions on it, as the Owner sees them. */
async function decided(who: SignedUp, request: Parameters<typeof askAs>[1]) {
  const answer = await askAs(who, request);
  const request_id = answer.headers.get('x-request-id');
  return { outcome: outcomeOf(answer), request_id, rows: await decisionsOf(owner, id, request_id) };
}
const subject = { kind: 'member', id: bob.account_id, name: bob.email };

test('a request without the permission has one denied decision, with the id of the request', async () => {
  const { outcome, request_id, rows } = await decided(bob, { path: `${path}/audit` });

  expect(outcome).toEqual([403, 'permission_denied']);
  expect(rows).toEqual([
    {
      ...{ id: expect.any(String), at: expect.any(String), request_id, subject },
      ...{ action: 'can_view_organization_audit', team: null, outcome: 'denied' },
      ...{ layer: 'capability', reason: 'permission_missing' },
      ...{ model_id: expect.any(String), cached: null, sampled: 1 },
    },
  ]);
});
