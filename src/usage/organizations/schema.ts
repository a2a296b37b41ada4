import { z } from 'zod';
import { OrganizationId, TeamId } from '../../caller/schema.ts';
import { CallOutcome } from '../../limits/schema.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { CallCursor, CallQuery, CallRecord, DecidingLayer, UsageReport } from '../schema.ts';

export const OrganizationParams = z.object({ organization_id: OrganizationId });
export const TeamParams = OrganizationParams.extend({ team_id: TeamId });
export type TeamParams = z.infer<typeof TeamParams>;

/** Kinds of credentials that make an organization's calls. */
export const CredentialKind = z.enum(['api_key', 'org_key', 'connection', 'machine']);

const Member = z
  .object({
    account_id: z.guid(),
    email: z.string().nullable().describe('Null once the person has left.'),
  })
  .meta({ id: 'CallingMember' });
const Credential = z
  .object({ kind: CredentialKind, id: z.guid() })
  .meta({ id: 'CallingCredential' });
const calls = { calls: z.int() };

/** This month's calls that count towards the quota. */
const shares = {
  members: z
    .array(Member.extend(calls))
    .describe('By person, most calls first; the organization’s own credentials act for no person.'),
  credentials: z.array(Credential.extend(calls)).describe('By credential, most calls first.'),
};

export const OrganizationUsage = UsageReport.extend({
  tools: UsageReport.shape.tools.describe(
    'This month’s calls that count towards the quota, by item, most used first; without those in members’ own spaces and in teams that the caller is not in.',
  ),
  ...shares,
}).meta({ id: 'OrganizationUsage' });
export type OrganizationUsage = z.infer<typeof OrganizationUsage>;

/** Calls to the items that belong to a team. */
export const TeamUsage = z
  .object({
    month: z.object({ used: z.int(), resets_at: z.string() }),
    tools: UsageReport.shape.tools.describe('This month’s calls to the team’s items, by item.'),
    ...shares,
  })
  .meta({ id: 'TeamUsage' });
export type TeamUsage = z.infer<typeof TeamUsage>;

/** One call; its arguments are shown only to the person who recorded them. */
export const OrganizationCall = CallRecord.omit({ key: true, arguments: true })
  .extend({
    item: CallRecord.shape.item.describe(
      'The called item; null if it does not exist, or is in a member’s own space or in a team that the caller is not in.',
    ),
    member: Member.nullable().describe('The person the call was made for.'),
    credential: Credential.nullable(),
    outcome: CallOutcome.nullable(),
    layer: DecidingLayer,
  })
  .meta({ id: 'OrganizationCall' });
export type OrganizationCall = z.infer<typeof OrganizationCall>;

export const OrganizationCallPage = pageOf(OrganizationCall)
  .extend({
    next_cursor: CallCursor,
  })
  .meta({ id: 'OrganizationCallList' });

export const OrganizationCallQuery = CallQuery.omit({ key_id: true }).extend({
  account_id: z.guid().toLowerCase().optional().describe('Only calls for this member.'),
  credential_id: z
    .guid()
    .toLowerCase()
    .optional()
    .describe('Only calls with this key or connection.'),
});
export type OrganizationCallQuery = z.infer<typeof OrganizationCallQuery>;
