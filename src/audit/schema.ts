import { z } from 'zod';
import { actions } from '../caller/actions.ts';
import type { Action } from '../caller/actions.ts';
import { OrganizationId } from '../caller/schema.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { PageQuery } from '../platform/http/pages.ts';

export const Outcome = z.enum(['done', 'refused']);
/** An action of the audit log. Writers take their type from the same table. */
const AuditAction = z.enum(Object.keys(actions) as Action[]).meta({
  id: 'AuditAction',
  description: 'What happened. A name is never changed; later releases may add some.',
});
const AuditTarget = z
  .object({
    type: z.string(),
    id: z.string(),
    name: z
      .string()
      .optional()
      .describe('Its current name; absent once it was deleted, and for people.'),
  })
  .meta({ id: 'AuditTarget' });

const agentKinds = ['api_key', 'org_key', 'connection', 'machine', 'scim_token'] as const;
/** A session acts as its user, any other credential as itself. */
export const ActorKind = z.enum(['user', ...agentKinds, 'system']);

export const AuditRecord = z
  .object({
    id: z.guid(),
    at: z.string(),
    actor: z.object({ kind: ActorKind, id: z.string().nullable() }),
    credential: z
      .object({
        kind: z.enum(['session', ...agentKinds]),
        id: z.guid(),
        name: z.string().optional(),
      })
      .meta({ id: 'AuditCredential' })
      .nullable(),
    address: z.string().nullable(),
    action: AuditAction,
    target: z.array(AuditTarget),
    outcome: Outcome,
    detail: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditRecord = z.infer<typeof AuditRecord>;

/** An entry in an organization's audit log. */
export const OrganizationAuditRecord = AuditRecord.extend({
  actor: AuditRecord.shape.actor.extend({
    email: z.string().nullable().describe('Address of a member; null once the person has left.'),
  }),
}).meta({ id: 'OrganizationAuditEntry' });
export type OrganizationAuditRecord = z.infer<typeof OrganizationAuditRecord>;

export const AuditParams = z.object({ organization_id: OrganizationId });

/** Entries in a file at most. */
export const MAX_FILE_ENTRIES = 50_000;

const Id = z.uuid();

export const AuditQuery = PageQuery.extend({
  action: z
    .string()
    .regex(/^[a-z_.]{1,64}$/)
    .optional()
    .describe('Selects one `AuditAction`, or all with a prefix such as `key.`'),
  target: Id.optional().describe('Selects actions on the object with this id.'),
  actor: Id.optional().describe('Selects actions by the person or credential with this id.'),
  outcome: Outcome.optional()
    .describe('Selects actions that were done, or that were refused.')
    .meta({ parameter: 'audit_outcome' }),
  from: Timestamp.optional().describe('Start of the period, inclusive; a timestamp of RFC 3339.'),
  to: Timestamp.optional().describe('End of the period, exclusive; a timestamp of RFC 3339.'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
