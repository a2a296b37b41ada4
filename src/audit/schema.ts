import { z } from 'zod';
import { Timestamp } from '../platform/timestamp.ts';
import { PageQuery } from '../platform/http/pages.ts';

const Outcome = z.enum(['done', 'refused']);
const AuditTarget = z.object({ type: z.string(), id: z.string(), name: z.string().optional() });

const agentKinds = ['api_key', 'org_key', 'connection', 'machine', 'scim_token'] as const;
/** A session acts as its user, any other credential as itself. */
export const ActorKind = z.enum(['user', ...agentKinds, 'system']);

export const AuditRecord = z.object({
  id: z.string(),
  at: z.string(),
  actor: z.object({ kind: ActorKind, id: z.string().nullable() }),
  credential: z
    .object({
      kind: z.enum(['session', ...agentKinds]),
      id: z.string(),
      name: z.string().optional(),
    })
    .nullable(),
  address: z.string().nullable(),
  action: z.string(),
  target: z.array(AuditTarget),
  outcome: Outcome,
  detail: z.record(z.string(), z.unknown()).nullable(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

/** An entry in an organization's audit log. */
export const OrganizationAuditRecord = AuditRecord.extend({
  actor: AuditRecord.shape.actor.extend({
    email: z
      .string()
      .nullable()
      .describe('Address of a person who is or was a member; null once the account is deleted.'),
  }),
});
export type OrganizationAuditRecord = z.infer<typeof OrganizationAuditRecord>;

export const AuditParams = z.object({ organization_id: z.guid().toLowerCase() });

export const AuditQuery = PageQuery.extend({
  action: z
    .string()
    .regex(/^[a-z_.]{1,64}$/)
    .optional()
    .describe('An action, or a prefix of actions such as `key.`'),
  outcome: Outcome.optional(),
  from: Timestamp.optional().describe('Start of the period, inclusive.'),
  to: Timestamp.optional().describe('End of the period, exclusive.'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
