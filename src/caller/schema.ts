import { z } from 'zod';

/** Ids in paths: any well-formed UUID, in lower case, so that equal ids are equal strings. */
const PathId = z.guid().toLowerCase();
export const OrganizationId = PathId.describe('Id of the organization.');
export const TeamId = PathId.describe('Id of the team.');
export const MemberId = PathId.describe('Id of the account of the member.');
export const ConnectionId = PathId.describe('Id of the connection to an identity provider.').meta({
  parameter: 'sso_connection_id',
});
export const RoleId = PathId.describe('Id of the role.');

/** The field of a request body that proves that the person is present. */
export const CurrentPassword = z
  .string()
  .max(1_024)
  .optional()
  .describe(
    'Reauthenticates. Required if the account has a password; otherwise a sign-in less than ten minutes ago is required.',
  );

/** Request body that contains only the reauthentication (decisions.md 9). */
export const ReauthenticationProof = z
  .object({ current_password: CurrentPassword })
  .meta({ id: 'ReauthenticationProof' });
export type ReauthenticationProof = z.infer<typeof ReauthenticationProof>;

/** Description of a secret that only the response to its creation contains. */
export const SHOWN_ONCE = 'Shown only here; missing if the request is repeated after an hour.';

/** How `tools/list` shows a credential's tools; it does not affect which of them may be called. */
export const ToolListing = z.enum(['all', 'search']).meta({
  id: 'ToolListing',
  description:
    '`all`: `tools/list` has every tool. `search`: it has the system tools, `search_tools`, which finds tools, and `run_tool`, which calls them. The same tools can be called by name.',
});
export type ToolListing = z.infer<typeof ToolListing>;
