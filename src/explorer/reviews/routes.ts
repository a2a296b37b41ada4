import { authorityOf } from '../../caller/actor.ts';
import { created, defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { OrganizationParams } from '../../organizations/schema.ts';
import { PageQuery } from '../../platform/http/pages.ts';
import { ReviewApplication, ReviewApply } from './applying/schema.ts';
import {
  DecisionEdit,
  EntryParams,
  EntryQuery,
  Review,
  ReviewDraft,
  ReviewEdit,
  ReviewEntry,
  ReviewEntryPage,
  ReviewPage,
  ReviewParams,
  ReviewSettings,
} from './schema.ts';
import type { Reviews } from './reviews.ts';
import type { ReviewSettingsPart } from './settings.ts';

const path = '/api/organizations/{organization_id}/access/reviews';
const shared = {
  access: { on: 'organization', permission: 'audit_read' },
  tag: 'Access reviews',
} as const;

/** Reviews of what everyone may do, for those who may read the audit log. */
export const reviewRoutes = ({
  reviews,
  reviewSettings,
}: {
  reviews: Reviews;
  reviewSettings: ReviewSettingsPart;
}): Route[] => [
  ...collectionRoutes(reviews),
  ...oneRoutes(reviews),
  ...entryRoutes(reviews),
  ...applyRoutes(reviews),
  ...settingsRoutes(reviewSettings),
];

const collectionRoutes = (reviews: Reviews): Route[] => [
  defineRoute({
    ...shared,
    method: 'GET',
    path,
    operation_id: 'listAccessReviews',
    summary: 'List access reviews',
    description: 'The newest is first.',
    params: OrganizationParams,
    query: PageQuery,
    responses: { 200: ReviewPage },
    handle: async ({ params, query }) => ok(await reviews.list(params.organization_id, query)),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path,
    operation_id: 'createAccessReview',
    summary: 'Create an access review',
    description:
      'Saves what every member and every live credential has now. What changes meanwhile is read again.',
    params: OrganizationParams,
    body: ReviewDraft,
    responses: { 201: Review },
    errors: { 422: ['limit_reached'] },
    // Decides about everyone in the organization.
    within_ms: 60_000,
    job: true,
    handle: async ({ params, body, ...sent }) =>
      created(await reviews.create(params.organization_id, body, sent)),
  }),
];

const oneRoutes = (reviews: Reviews): Route[] => [
  defineRoute({
    ...shared,
    method: 'GET',
    path: `${path}/{review_id}`,
    operation_id: 'getAccessReview',
    summary: 'Get an access review',
    params: ReviewParams,
    object: ({ params }) => reviews.get(params),
    responses: { 200: Review },
    handle: async ({ params }) => ok(await reviews.get(params)),
  }),
  defineRoute({
    ...shared,
    method: 'PATCH',
    path: `${path}/{review_id}`,
    operation_id: 'updateAccessReview',
    summary: 'Change an access review',
    description: 'Closes it. Its decisions cannot be changed then.',
    params: ReviewParams,
    object: ({ params }) => reviews.get(params),
    body: ReviewEdit,
    responses: { 200: Review },
    errors: { 409: ['review_closed'] },
    handle: async ({ caller, params, request }) =>
      ok(await reviews.close(params, authorityOf(caller, request))),
  }),
];

const columns = [
  ...['id', 'subject.kind', 'subject.id', 'subject.name', 'subject.owner.email', 'subject.teams'],
  ...['subject.follows', 'subject.last_used_at', 'permissions', 'team_permissions'],
  ...['capabilities', 'reach.tools', 'reach.prompts', 'reach.resources', 'reach.agents', 'flags'],
  ...['decision', 'comment', 'decided_by.email'],
];

const entryRoutes = (reviews: Reviews): Route[] => [
  defineRoute({
    ...shared,
    method: 'GET',
    path: `${path}/{review_id}/entries`,
    operation_id: 'listAccessReviewEntries',
    summary: 'List entries of an access review',
    description:
      'Members first, then credentials, the oldest first. Names are those of today, or null.',
    params: ReviewParams,
    object: ({ params }) => reviews.get(params),
    query: EntryQuery,
    responses: { 200: ReviewEntryPage },
    table: {
      ...{ file_name: 'toolgate-access-review', columns },
      pages: ({ params, query }) => reviews.entryPages(params, query),
    },
    handle: async ({ params, query }) => ok(await reviews.entries(params, query)),
  }),
  defineRoute({
    ...shared,
    method: 'PATCH',
    path: `${path}/{review_id}/entries/{entry_id}`,
    operation_id: 'decideAccessReviewEntry',
    summary: 'Decide on an access review entry',
    description: 'Records the decision and changes no access: that is done by `applyAccessReview`.',
    params: EntryParams,
    object: ({ params }) => reviews.requireEntry(params),
    body: DecisionEdit,
    responses: { 200: ReviewEntry },
    errors: { 409: ['review_closed'] },
    handle: async ({ caller, params, body, request }) =>
      ok(await reviews.decide(params, body, authorityOf(caller, request))),
  }),
];

const applying = {
  ...shared,
  access: { interactive: 'organization', permission: 'audit_read' },
  method: 'POST',
  params: ReviewParams,
  body: ReviewApply,
  errors: { 422: ['limit_reached'] },
} as const;

const applyRoutes = (reviews: Reviews): Route[] => [
  defineRoute({
    ...applying,
    path: `${path}/{review_id}/apply/preview`,
    operation_id: 'previewAccessReviewApplication',
    summary: 'Preview applying an access review',
    description: 'Lists what `applyAccessReview` would do for you now, and saves nothing.',
    object: ({ params }) => reviews.get(params),
    responses: { 200: ReviewApplication },
    within_ms: 60_000,
    saves_nothing: true,
    handle: async ({ params, body, ...sender }) =>
      ok(await reviews.applying.preview(params, body, sender)),
  }),
  defineRoute({
    ...applying,
    path: `${path}/{review_id}/apply`,
    operation_id: 'applyAccessReview',
    summary: 'Apply an access review',
    description:
      'Revokes and reduces what was decided so, with your permissions, each in a change of its own: one that is refused keeps no other from being made. A repeated request makes the remaining ones.',
    object: ({ params }) => reviews.get(params),
    responses: { 200: ReviewApplication },
    // Makes a change for each decision.
    within_ms: 60_000,
    job: true,
    handle: async ({ params, body, ...sender }) =>
      ok(await reviews.applying.apply(params, body, sender)),
  }),
];

const settings = '/api/organizations/{organization_id}/access/review-settings';

const settingsRoutes = (reviewSettings: ReviewSettingsPart): Route[] => [
  defineRoute({
    ...shared,
    method: 'GET',
    path: settings,
    operation_id: 'getAccessReviewSettings',
    summary: 'Get the access review settings',
    params: OrganizationParams,
    responses: { 200: ReviewSettings },
    handle: async ({ params }) => ok(await reviewSettings.get(params.organization_id)),
  }),
  defineRoute({
    ...shared,
    method: 'PUT',
    path: settings,
    operation_id: 'replaceAccessReviewSettings',
    summary: 'Replace the access review settings',
    params: OrganizationParams,
    body: ReviewSettings,
    responses: { 200: ReviewSettings },
    handle: async ({ caller, params, body, request }) =>
      ok(await reviewSettings.replace(params.organization_id, body, authorityOf(caller, request))),
  }),
];
