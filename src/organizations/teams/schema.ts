import { z } from 'zod';
import { McpCapability } from '../../authz/schema.ts';
import { References } from '../../platform/http/reference.ts';
import { TeamId } from '../../caller/schema.ts';
import { visibleName } from '../../platform/text/visible-name.ts';
import { TeamName } from '../../policies/item-name.ts';
import { OrganizationParams } from '../schema.ts';

const TITLE_CHARACTERS = 100;
const DESCRIPTION_CHARACTERS = 500;

export const TeamParams = OrganizationParams.extend({ team_id: TeamId });
export type TeamParams = z.infer<typeof TeamParams>;

const fields = {
  name: TeamName.describe('Prefixes the names of the team’s items; unique in the organization.'),
  title: visibleName(TITLE_CHARACTERS),
  description: z.string().max(DESCRIPTION_CHARACTERS),
};

export const TeamDraft = z
  .object({
    name: fields.name,
    title: fields.title.optional().describe('Default: the name.'),
    description: fields.description.default(''),
  })
  .meta({ id: 'TeamDraft' });
export type TeamDraft = z.infer<typeof TeamDraft>;

/** Only the sent fields are changed. */
export const TeamEdit = z.object(fields).partial().meta({ id: 'TeamEdit' });
export type TeamEdit = z.infer<typeof TeamEdit>;

export const TeamDeletion = z
  .object({
    confirm: z.string().max(400).describe('The name of the team as entered by the user.'),
  })
  .meta({ id: 'TeamDeletion' });
export type TeamDeletion = z.infer<typeof TeamDeletion>;

export const TeamRecord = z
  .object({
    id: z.guid(),
    name: TeamName,
    title: z.string(),
    description: z.string(),
    members: z.int().describe('How many people are in the team.'),
    created_at: z.iso.datetime(),
    membership: z
      .object({
        roles: References,
        permissions: z
          .array(z.string())
          .describe('Includes implied permissions, named as in grants.'),
        capabilities: z.array(McpCapability),
      })
      .nullable()
      .describe('What the caller may do in the team; null if they have no seat in it.'),
  })
  .meta({ id: 'Team' });
export type TeamRecord = z.infer<typeof TeamRecord>;
