import { z } from 'zod';
import { RoleId } from '../../../caller/schema.ts';
import { OrganizationParams } from '../../schema.ts';
import { RoleRecord } from '../../roles/schema.ts';
import { TeamParams } from '../schema.ts';

/** A role for all teams of an organization. */
export const SharedRoleParams = OrganizationParams.extend({ role_id: RoleId });
/** A role of one team. */
export const OwnRoleParams = TeamParams.extend({ role_id: RoleId });
export type OwnRoleParams = z.infer<typeof OwnRoleParams>;

export const TeamRoleRecord = RoleRecord.extend({
  team_id: z.guid().nullable().describe('The team that the role belongs to; null for all teams.'),
}).meta({ id: 'TeamRole' });
export type TeamRoleRecord = z.infer<typeof TeamRoleRecord>;
