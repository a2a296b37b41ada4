import { setTimeout } from 'node:timers/promises';
import type { DecisionRecord } from '../../../src/decision-log/schema.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';

export interface DecisionPage {
  data: DecisionRecord[];
  next_cursor: string | null;
}

// Decisions are visible within five seconds.
const VISIBLE_MS = 5_000;

export const decisionsPath = (organization_id: string) =>
  `/api/organizations/${organization_id}/access/decisions`;

/** Reads a page of the decisions in an organization. */
export async function readDecisions(who: SignedUp, organization_id: string, query = '') {
  const path = `${decisionsPath(organization_id)}${query}`;
  const { status, body } = await askAs<DecisionPage>(who, { path });
  if (status !== 200) throw new Error(`decisions: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Returns the decisions on one request as soon as there are any; none after five seconds. */
export async function decisionsOf(
  who: SignedUp,
  organization_id: string,
  request_id: string | null,
): Promise<DecisionRecord[]> {
  const until = performance.now() + VISIBLE_MS;
  for (;;) {
    const { data } = await readDecisions(who, organization_id, '?limit=200');
    const found = data.filter((decision) => decision.request_id === request_id);
    if (found.length > 0 || performance.now() > until) return found;
    await setTimeout(100);
  }
}

/** Waits until everything that was decided so far is visible. */
export const untilVisible = () => setTimeout(2_500);
