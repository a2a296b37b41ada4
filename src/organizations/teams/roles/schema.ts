import { z } from 'zod';
import { OrganizationParams } from '../../schema.ts';
import { RoleRecord } from '../../roles/schema.ts';
import { TeamParams } from '../schema.ts';

const role_id = z.guid().toLowerCase();

/** A role for all teams of an organization. */
export const SharedRoleParams = OrganizationParams.extend({ role_id });
/** A role of one team. */
export const OwnRoleParams = TeamParams.extend({ role_id });
export type OwnRoleParams = z.infer<typeof OwnRoleParams>;

export const TeamRoleRecord = RoleRecord.extend({
  team_id: z.guid().nullable().describe('The team that the role belongs to; null for all teams.'),
});
export type TeamRoleRecord = z.infer<typeof TeamRoleRecord>;
