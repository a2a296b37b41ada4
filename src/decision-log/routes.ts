import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { pageOf } from '../platform/http/pages.ts';
import type { DecisionLog } from './decision-log.ts';
import { DecisionParams, DecisionQuery, DecisionRecord, MAX_FILE_ENTRIES } from './schema.ts';

const columns = [
  ...['id', 'at', 'request_id', 'subject.kind', 'subject.id', 'subject.name', 'action', 'team'],
  ...['outcome', 'layer', 'reason', 'model_id', 'cached', 'sampled'],
];

export const decisionRoutes = ({
  list,
  entries,
}: Pick<DecisionLog, 'list' | 'entries'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/access/decisions',
    access: { on: 'organization', permission: 'audit_read' },
    operation_id: 'listAccessDecisions',
    summary: 'List access decisions',
    description:
      'The newest is first. Every denied decision is recorded, and a sample of those that allowed. No access token can read them.',
    tag: 'Access',
    params: DecisionParams,
    query: DecisionQuery,
    responses: { 200: pageOf(DecisionRecord).meta({ id: 'AccessDecisionList' }) },
    table: {
      file_name: 'toolgate-decisions',
      max_rows: MAX_FILE_ENTRIES,
      columns,
      pages: ({ caller, params, query }) => entries(caller, params.organization_id, query),
    },
    handle: async ({ caller, params, query }) =>
      ok(await list(caller, params.organization_id, query)),
  }),
];
