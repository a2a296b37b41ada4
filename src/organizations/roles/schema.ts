import { z } from 'zod';
import { McpCapability } from '../../authz/schema.ts';
import { RoleId } from '../../caller/schema.ts';
import { boundedList } from '../../platform/json/bounded-list.ts';
import { capabilities, PERMISSION_COUNT } from '../../authz/permissions.ts';
import { visibleName } from '../../platform/text/visible-name.ts';
import { OrganizationParams } from '../schema.ts';
import { TeamParams } from '../teams/schema.ts';

const NAME_CHARACTERS = 64;
const DESCRIPTION_CHARACTERS = 500;
const PERMISSION_CHARACTERS = 64;

/** A role of an organization, or one for all its teams. */
export const RoleParams = OrganizationParams.extend({ role_id: RoleId });
export type RoleParams = z.infer<typeof RoleParams>;

/** A role of one team. */
export const TeamRoleParams = TeamParams.extend({ role_id: RoleId });
export type TeamRoleParams = z.infer<typeof TeamRoleParams>;

const fields = {
  name: visibleName(NAME_CHARACTERS).describe('Unique in the organization, ignoring case.'),
  description: z.string().max(DESCRIPTION_CHARACTERS),
  /** Names are only strings here; unknown ones are rejected later (422). */
  permissions: boundedList(z.string().max(PERMISSION_CHARACTERS), PERMISSION_COUNT).describe(
    'Named as in grants; a write permission implies the read permission of its family.',
  ),
  capabilities: z
    .array(McpCapability)
    .max(capabilities.length)
    .refine((list) => new Set(list).size === list.length, {
      message: 'must not contain duplicates',
    }),
};

export const RoleDraft = z
  .object({
    name: fields.name,
    description: fields.description.default(''),
    permissions: fields.permissions.default([]),
    capabilities: fields.capabilities.default([]),
  })
  .meta({ id: 'RoleDraft' });
export type RoleDraft = z.infer<typeof RoleDraft>;

/** Only the sent fields are changed. */
export const RoleEdit = z.object(fields).partial().meta({ id: 'RoleEdit' });
export type RoleEdit = z.infer<typeof RoleEdit>;

export const RoleDeletion = z.object({
  replace_with: z
    .guid()
    .toLowerCase()
    .optional()
    .describe(
      'Id of the role that everyone who has this one gets instead; required if the role is in use.',
    ),
});
export type RoleDeletion = z.infer<typeof RoleDeletion>;

export const RoleRecord = z
  .object({
    id: z.guid(),
    name: z.string(),
    description: z.string(),
    system: z.boolean(),
    permissions: z.array(z.string()),
    capabilities: z.array(McpCapability),
    members: z.int().describe('Number of members who have the role.'),
  })
  .meta({ id: 'Role' });
export type RoleRecord = z.infer<typeof RoleRecord>;

export const TeamRoleRecord = RoleRecord.extend({
  team_id: z.guid().nullable().describe('The team that the role belongs to; null for all teams.'),
}).meta({ id: 'TeamRole' });
export type TeamRoleRecord = z.infer<typeof TeamRoleRecord>;
