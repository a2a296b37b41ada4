import { z } from 'zod';
import { McpCapability } from '../../authz/schema.ts';
import { OrganizationParams } from '../../organizations/schema.ts';
import { PageQuery, pageOf } from '../../platform/http/pages.ts';
import { Reference } from '../../platform/http/reference.ts';
import { visibleName } from '../../platform/text/visible-name.ts';
import { visibleText } from '../../platform/text/visible-text.ts';
import { Subject } from '../schema.ts';

const MAX_NAME = 100;
const MAX_COMMENT = 1_000;

/** Reasons to look at an entry first. */
export const flags = [
  'unused_90_days',
  'broad',
  'writes',
  'owner_left',
  'no_owner',
  'follows_all_teams',
  'unrestricted',
] as const;
export type Flag = (typeof flags)[number];

const MEANINGS = [
  '`unused_90_days`: a credential that is at least 90 days old and was not used in the 90 days before the review',
  '`broad`: it has all permissions in every team (`can_update_all_organization_teams`), or at least half of those that exist in an organization',
  '`writes`: it has a permission that is not one to view',
  '`owner_left`: the credential of a person who is no longer an active member',
  '`no_owner`: a credential that acts for no person',
  '`follows_all_teams`: a credential that gets later teams of its person or organization too',
  '`unrestricted`: a credential with a permission that is not one to view, which works from every address at all hours',
];

export const decisions = ['keep', 'reduce', 'revoke'] as const;
export type ReviewDecision = (typeof decisions)[number];

const Author = z
  .object({ kind: z.string(), id: z.guid().nullable(), email: z.string().nullable() })
  .meta({ id: 'ReviewAuthor', description: 'A nightly review has the kind `system`.' });

export const Review = z
  .object({
    id: z.guid(),
    name: z.string(),
    status: z
      .enum(['running', 'open', 'closed'])
      .describe('While it is running, it has no entries; once it is closed, nothing is decided.'),
    created_at: z.iso.datetime(),
    created_by: Author,
    counts: z
      .object({
        entries: z.int(),
        flagged: z.int().describe('With at least one flag.'),
        undecided: z.int(),
        keep: z.int(),
        reduce: z.int(),
        revoke: z.int(),
      })
      .describe('Numbers of entries.'),
    model_id: z
      .string()
      .nullable()
      .describe('Id of the authorization model in OpenFGA; null while it is running.'),
  })
  .meta({ id: 'AccessReview' });
export type Review = z.infer<typeof Review>;
export const ReviewPage = pageOf(Review).meta({ id: 'AccessReviewPage' });

export const ReviewDraft = z
  .object({ name: visibleName(MAX_NAME).optional().describe('By default, the date.') })
  .meta({ id: 'AccessReviewDraft' });
export type ReviewDraft = z.infer<typeof ReviewDraft>;

export const ReviewEdit = z
  .object({ status: z.literal('closed') })
  .meta({ id: 'AccessReviewEdit' });

export const ReviewEntry = z
  .object({
    id: z.guid(),
    subject: Subject,
    permissions: z.array(z.string()).describe('In the organization, named as in grants.'),
    team_permissions: z.array(z.object({ team: Reference, permissions: z.array(z.string()) })),
    capabilities: z.array(McpCapability),
    reach: z
      .object({ tools: z.int(), prompts: z.int(), resources: z.int(), agents: z.int() })
      .describe(
        'How many items it can use, with those of the person’s own space and without system tools; of a member, as a credential that follows all their teams.',
      ),
    flags: z.array(z.enum(flags)).describe(`${MEANINGS.join('; ')}.`),
    decision: z.enum(decisions).nullable(),
    comment: z.string().nullable(),
    decided_by: Author.nullable(),
  })
  .meta({ id: 'AccessReviewEntry' });
export type ReviewEntry = z.infer<typeof ReviewEntry>;
export const ReviewEntryPage = pageOf(ReviewEntry).meta({ id: 'AccessReviewEntryPage' });

export const EntryQuery = PageQuery.extend({
  flag: z.enum(flags).optional().describe('Only entries with this flag.'),
  decision: z
    .enum([...decisions, 'none'])
    .optional()
    .describe('Only entries with this decision; `none` for those without.')
    .meta({ parameter: 'review_decision' }),
});
export type EntryFilter = Omit<z.infer<typeof EntryQuery>, 'limit' | 'cursor'>;

export const DecisionEdit = z
  .object({
    decision: z.enum(decisions).nullable().describe('Null withdraws a decision.'),
    comment: visibleText(MAX_COMMENT)
      .nullable()
      .optional()
      .describe('Unchanged if it is omitted; null removes it.'),
  })
  .meta({ id: 'AccessReviewDecision' });
export type DecisionEdit = z.infer<typeof DecisionEdit>;

const MAX_KEEP = 365;

export const ReviewSettings = z
  .object({
    nightly: z
      .boolean()
      .describe('Whether a review is taken each day (UTC), the first at once; it has no author.'),
    keep: z
      .int()
      .min(1)
      .max(MAX_KEEP)
      .describe('How many nightly reviews without decisions are kept, the newest ones.'),
  })
  .meta({ id: 'AccessReviewSettings' });
export type ReviewSettings = z.infer<typeof ReviewSettings>;

export const ReviewParams = OrganizationParams.extend({
  review_id: z.guid().toLowerCase().describe('Id of the access review.'),
});
export type ReviewParams = z.infer<typeof ReviewParams>;
export const EntryParams = ReviewParams.extend({
  entry_id: z.guid().toLowerCase().meta({ parameter: 'review_entry_id' }),
});
export type EntryParams = z.infer<typeof EntryParams>;
