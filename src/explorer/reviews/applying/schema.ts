import { z } from 'zod';
import { McpCapability } from '../../../authz/schema.ts';
import { Subject } from '../../schema.ts';

/** Why a person must make a change: no request could make it from the decision alone. */
export const byHandReasons = [
  'own_membership',
  'member_roles',
  'key_of_member',
  'authorized_scopes',
  'nothing_unused',
] as const;
export type ByHandReason = (typeof byHandReasons)[number];

const BY_HAND = [
  '`own_membership`: it would remove you',
  '`member_roles`: a member is reduced by other roles',
  '`key_of_member`: only its person can reduce a key',
  '`authorized_scopes`: the scopes of an OAuth client are reduced by editing the client',
  '`nothing_unused`: the key used everything that it carries, or is younger than that is known for',
];

const OUTCOMES = [
  '`planned`: only in a preview',
  '`applied`: changed now',
  '`unchanged`: it no longer has access here',
  '`refused`: you may not, or the service refused the change; `error` says why',
  '`by_hand`: somebody has to decide more; `reason` says what',
];

/** What is made of one decision to reduce or to revoke. */
export const AppliedDecision = z
  .object({
    entry_id: z.guid(),
    subject: Subject,
    decision: z.enum(['reduce', 'revoke']),
    operation_id: z
      .string()
      .nullable()
      .describe('The operation that makes the change, with all its rules; null if none does.'),
    removed: z
      .object({ permissions: z.array(z.string()), capabilities: z.array(McpCapability) })
      .nullable()
      .describe('What a key loses by being reduced: what it has not used.'),
    outcome: z
      .enum(['planned', 'applied', 'unchanged', 'refused', 'by_hand'])
      .describe(`${OUTCOMES.join('; ')}.`),
    reason: z
      .enum(byHandReasons)
      .nullable()
      .describe(`${BY_HAND.join('; ')}.`),
    error: z
      .object({ code: z.string(), message: z.string(), detail: z.unknown() })
      .nullable()
      .describe('As in the response that the operation would have had.'),
    page: z.string().nullable().describe('Page of the dashboard where it can be done by hand.'),
  })
  .meta({ id: 'AppliedDecision' });
export type AppliedDecision = z.infer<typeof AppliedDecision>;

export const ReviewApplication = z
  .object({
    changes: z.array(AppliedDecision).describe('Every decision to reduce or to revoke.'),
    counts: z
      .object({
        planned: z.int(),
        applied: z.int(),
        unchanged: z.int(),
        refused: z.int(),
        by_hand: z.int(),
      })
      .describe('Numbers of entries by outcome.'),
  })
  .meta({ id: 'AccessReviewApplication' });
export type ReviewApplication = z.infer<typeof ReviewApplication>;

const MAX_DAYS = 365;

export const ReviewApply = z
  .object({
    unused_days: z
      .int()
      .min(0)
      .max(MAX_DAYS)
      .default(90)
      .describe('Reducing removes from a key what it has not used for so many days.'),
  })
  .meta({ id: 'AccessReviewApply' });
export type ReviewApply = z.infer<typeof ReviewApply>;
