import { expect } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { byAda } from './action-context.ts';
import type { ActionContext, PrepareAction } from './action-context.ts';
import { organizationScope } from './organization-acts.ts';

interface Created {
  id: string;
}

/** Creates an organization for Ada, alone, with a review. */
async function withReview(context: ActionContext) {
  const { id } = await createOrganization(context.ada);
  const reviews = `/api/organizations/${id}/access/reviews`;
  const { body } = await byAda(context, { path: reviews, body: { name: 'first' } });
  const review = (body as Created).id;
  return {
    path: `${reviews}/${review}`,
    scopes: [organizationScope(id)],
    target: [{ type: 'access_review', id: review }],
  };
}

/** The audited actions on access reviews. */
export const reviewActs: Partial<Record<Action, PrepareAction>> = {
  'access_review.create': async (context) => {
    const { id } = await createOrganization(context.ada);
    const path = `/api/organizations/${id}/access/reviews`;
    return {
      ask: () => byAda(context, { path, body: { name: 'first' } }),
      expected: ({ body }) => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'access_review', id: (body as Created).id }],
        detail: { entries: 1, nightly: false },
      }),
    };
  },
  'access_review.update': async (context) => {
    const { path, scopes, target } = await withReview(context);
    return {
      ask: () => byAda(context, { method: 'PATCH', path, body: { status: 'closed' } }),
      expected: () => ({
        ...{ scopes, target },
        detail: { before: { status: 'open' }, after: { status: 'closed' } },
      }),
    };
  },
  'access_review.decide': async (context) => {
    const { path, scopes, target } = await withReview(context);
    const { body } = await byAda(context, { path: `${path}/entries` });
    const { id } = (body as { data: Created[] }).data[0]!;
    const decision = { decision: 'keep', comment: null };
    return {
      ask: () => byAda(context, { method: 'PATCH', path: `${path}/entries/${id}`, body: decision }),
      expected: () => ({
        scopes,
        target: [...target, { type: 'access_review_entry', id }],
        detail: {
          subject: { kind: 'member', id: context.ada.account_id },
          ...{ before: { decision: null }, after: { decision: 'keep' } },
        },
      }),
    };
  },
  'access_review.apply': async (context) => {
    const { id } = await createOrganization(context.ada);
    const at = `/api/organizations/${id}`;
    const key = { name: 'robot', mcp_capabilities: ['tools'], team_ids: [] };
    const { body: robot } = await byAda(context, { path: `${at}/keys`, body: key });
    const reviews = `${at}/access/reviews`;
    const { body: taken } = await byAda(context, { path: reviews, body: {} });
    const review = (taken as Created).id;
    const { body } = await byAda(context, { path: `${reviews}/${review}/entries` });
    const entry = (body as { data: (Created & { subject: Created })[] }).data.find(
      ({ subject }) => subject.id === (robot as Created).id,
    )!;
    const revoke = { decision: 'revoke', comment: null };
    await byAda(context, {
      ...{ method: 'PATCH', path: `${reviews}/${review}/entries/${entry.id}`, body: revoke },
    });
    return {
      ask: () => byAda(context, { path: `${reviews}/${review}/apply`, body: {} }),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'access_review', id: review }],
        detail: { revoke: 1, reduce: 0 },
        otherActions: ['key.revoke'],
      }),
    };
  },
  'access_review_settings.update': async (context) => {
    const { id } = await createOrganization(context.ada);
    const path = `/api/organizations/${id}/access/review-settings`;
    return {
      ask: () => byAda(context, { method: 'PUT', path, body: { nightly: false, keep: 3 } }),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'organization', id }],
        detail: expect.objectContaining({ after: { nightly: false, keep: 3 } }) as object,
      }),
    };
  },
};
