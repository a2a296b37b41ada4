import { ADMIN } from '../../support/people/organizations.ts';
import type { Sent } from './requests.ts';

const subjectOf = (id: string) => ({ kind: 'member', id });

const role = { kind: 'role', id: ADMIN };

/** Requests of the access explorer, by path below an organization. */
export const ofExplorer = (ids: Readonly<Record<string, string>>): Record<string, Sent> => ({
  'GET /members/{account_id}/access': { ids: { account_id: ids['noa']! }, allowed: [200] },
  'GET /connections/{connection_id}/access': {
    ...{ ids: { connection_id: ids['machine']! }, allowed: [200] },
  },
  'POST /access/explain': {
    body: { subject: subjectOf(ids['noa']!), permission: 'can_view_organization_roles' },
    allowed: [200],
  },
  'POST /access/diff': {
    body: { left: { subject: role }, right: { subject: role } },
    allowed: [200],
  },
  'POST /access/reviews': { body: {}, allowed: [201] },
  'PATCH /access/reviews/{review_id}': {
    ...{ body: { status: 'closed' }, ids: { review_id: ids['closed_review']! }, allowed: [200] },
  },
  'PATCH /access/reviews/{review_id}/entries/{entry_id}': {
    body: { decision: 'keep', comment: null },
    allowed: [200],
  },
  'POST /access/reviews/{review_id}/apply': { body: {}, allowed: [200] },
  'POST /access/reviews/{review_id}/apply/preview': { body: {}, allowed: [200] },
  'PUT /access/review-settings': { body: { nightly: false, keep: 7 }, allowed: [200] },
});
