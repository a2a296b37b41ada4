import { z } from 'zod';
import { OrganizationId } from '../caller/schema.ts';
import { families } from '../content/items/schema.ts';
import { PageQuery } from '../platform/http/pages.ts';
import { withoutNul } from '../platform/http/without-nul.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { HiddenReason } from '../visibility/schema.ts';

/** Who was decided about: a person in a session, or a credential. */
export const SubjectKind = z.enum(['member', 'key', 'organization_key', 'connection', 'client']);
export type SubjectKind = z.infer<typeof SubjectKind>;

export const DecisionOutcome = z.enum(['allowed', 'denied']);

/** The part of a decision that denied it. */
export const DecisionLayer = z.enum([
  // What the credential is, or the scopes of its token.
  'credential',
  // The organization is suspended.
  'organization',
  'absent',
  'capability',
  'selection',
  'policy',
]);
export type DecisionLayer = z.infer<typeof DecisionLayer>;

/** The first check that failed: those of items are the rules of `visibility`. */
export const DecisionReason = z
  .enum([
    ...HiddenReason.options,
    'address_not_allowed',
    'insufficient_scope',
    'interactive_only',
    'not_a_member',
    'not_found',
    'not_in_team',
    'not_visible',
    'organization_suspended',
    'outside_hours',
  ])
  .meta({ id: 'DecisionReason', description: 'The first check that failed.' });
export type DecisionReason = z.infer<typeof DecisionReason>;

const DecidedItem = z
  .object({
    family: z.enum(families),
    name: z
      .string()
      .nullable()
      .describe(
        'Null if there is no such item, or if it is in a member’s own space or in a team that you are not in.',
      ),
  })
  .meta({ id: 'DecidedItem' });

export const DecisionRecord = z
  .object({
    id: z.guid(),
    at: z.string(),
    request_id: z.guid().describe('`X-Request-Id` of the response, over MCP too.'),
    subject: z
      .object({
        kind: SubjectKind,
        id: z
          .guid()
          .describe('Of a member, the id of the account; of a client, of its connection.'),
        name: z
          .string()
          .nullable()
          .describe(
            'A member’s address, or the name of a key or client of the organization; null for what its members own, and once it is deleted.',
          ),
      })
      .meta({ id: 'DecisionSubject' }),
    action: z
      .union([z.string(), DecidedItem])
      .describe('The required permission, or the item that was to be used.'),
    team: z.guid().nullable().describe('Id of the team in the path, or that the item belongs to.'),
    outcome: DecisionOutcome,
    layer: DecisionLayer.nullable().describe('What denied it; null if it was allowed.'),
    reason: DecisionReason.nullable(),
    model_id: z.string().describe('Id of the authorization model.'),
    cached: z
      .boolean()
      .nullable()
      .describe('Whether OpenFGA was not called for it; null if unknown.'),
    sampled: z
      .int()
      .describe('How many decisions the entry stands for: allowed ones are a sample.'),
  })
  .meta({ id: 'AccessDecision' });
export type DecisionRecord = z.infer<typeof DecisionRecord>;

export const DecisionParams = z.object({ organization_id: OrganizationId });

/** Entries in a file at most. */
export const MAX_FILE_ENTRIES = 50_000;

export const DecisionQuery = PageQuery.extend({
  since: Timestamp.optional().describe('Start of the period, inclusive; a timestamp of RFC 3339.'),
  until: Timestamp.optional().describe('End of the period, exclusive; a timestamp of RFC 3339.'),
  subject: z
    .guid()
    .toLowerCase()
    .optional()
    .describe('Only decisions about the account, key or connection with this id.'),
  action: withoutNul(z.string().min(1).max(4_096))
    .optional()
    .describe('Only decisions about this permission, or about the item with this name.')
    .meta({ parameter: 'decision_action' }),
  outcome: DecisionOutcome.optional()
    .describe('Only allowed or only denied decisions.')
    .meta({ parameter: 'decision_outcome' }),
  reason: DecisionReason.optional()
    .describe('Only decisions denied for this reason.')
    .meta({ parameter: 'decision_reason' }),
});
export type DecisionQuery = z.infer<typeof DecisionQuery>;
