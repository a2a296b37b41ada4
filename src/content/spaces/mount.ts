import { z } from 'zod';
import { OrganizationId, TeamId } from '../../caller/schema.ts';
import type { InteractiveAccess, MemberAccess, ObjectAccess } from '../../caller/access.ts';
import type { Principal, QuotaOwner } from '../../caller/principal.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { TeamName } from '../../policies/item-name.ts';
import { personalSpaceOf } from './space.ts';
import type { Space } from './space.ts';

/** Mounts routes for one kind of space and resolves the space of a request. */
export interface Mount {
  kind: Space['kind'];
  /** Path prefix of the routes, and its parameters. */
  path: string;
  params: Readonly<Record<string, typeof OrganizationId>>;
  /** Distinguishes operation ids and tags from those of the personal space. */
  word: '' | 'Member' | 'Organization' | 'Team';
  /** Access that requires a permission, by its name in a personal space: `prompts_create`. */
  access(permission: string): ObjectAccess | MemberAccess;
  /** Returns access for sessions alone, which have every permission in their own space. */
  interactive(permission: string): InteractiveAccess;
  /** Returns the space of a request; throws 404 if the caller may not see it. */
  spaceOf(request: MountedRequest): Promise<Space>;
}

export interface MountedRequest<Params = unknown> {
  caller: Principal;
  params: Params;
}

export const personalMount: Mount = {
  kind: 'personal',
  path: '/api/me',
  params: {},
  word: '',
  access: (permission) => ({ on: 'account', permission }),
  interactive: () => ({ interactive: 'manage_keys' }),
  spaceOf: async ({ caller }) => personalSpaceOf(caller),
};

const organizationPath = '/api/organizations/{organization_id}';

/** The catalog of an organization. */
export const organizationMount: Mount = {
  kind: 'organization',
  path: organizationPath,
  params: { organization_id: OrganizationId },
  word: 'Organization',
  access: (permission) => ({ on: 'organization', permission }),
  interactive: (permission) => ({ interactive: 'organization', permission }),
  async spaceOf({ caller }) {
    const { organization_id, quota_owner } = organizationOf(caller);
    const { person } = caller;
    return { id: organization_id, kind: 'organization', organization_id, person, quota_owner };
  },
};

const MEMBER_ACCESS: MemberAccess = { interactive: 'organization', permission: 'see' };

/**
 * A member's space in an organization. Other members have no access, and the member's keys and
 * access tokens only over MCP, with the capability: over REST, no permission stands for the member.
 */
export const memberMount: Mount = {
  kind: 'member',
  path: `${organizationPath}/me`,
  params: { organization_id: OrganizationId },
  word: 'Member',
  access: () => MEMBER_ACCESS,
  interactive: () => MEMBER_ACCESS,
  async spaceOf({ caller }) {
    const { organization_id, quota_owner } = organizationOf(caller);
    const membership = caller.scopes.find(({ kind }) => kind === 'membership');
    if (caller.person === null || membership === undefined)
      throw absent('the credential does not act for a member');
    const { person } = caller;
    return {
      ...{ id: membership.id, kind: 'member', account_id: person, person },
      ...{ organization_id, quota_owner },
    };
  },
};

export interface TeamMountDependencies {
  /** Returns a team of the organization; throws 404 unless the caller may act in it. */
  requireTeam(
    caller: Principal,
    params: { organization_id: string; team_id: string },
  ): Promise<{ name: TeamName }>;
}

const TeamParams = z.object({ organization_id: z.string(), team_id: z.string() });

/** The space of a team. */
export const teamMount = ({ requireTeam }: TeamMountDependencies): Mount => ({
  kind: 'team',
  path: `${organizationPath}/teams/{team_id}`,
  params: { organization_id: OrganizationId, team_id: TeamId },
  word: 'Team',
  access: (permission) => ({ on: 'team', permission }),
  interactive: (permission) => ({ interactive: 'team', permission }),
  async spaceOf({ caller, params }) {
    const { organization_id, quota_owner } = organizationOf(caller);
    const { team_id } = TeamParams.parse(params);
    const { name } = await requireTeam(caller, { organization_id, team_id });
    const { person } = caller;
    return { id: team_id, kind: 'team', organization_id, team_id, name, person, quota_owner };
  },
});

function organizationOf({ organization }: Principal) {
  if (organization === null) throw absent('the path names no organization of the caller');
  const { id, plan } = organization;
  const quota_owner: QuotaOwner = { kind: 'organization', id, plan };
  return { organization_id: id, quota_owner };
}

/** Returns the path parameters of a route: its mount's, then its own. */
export const pathParams = <Params extends object>(
  { params }: Mount,
  routeParams: z.ZodObject & z.ZodType<Params>,
): z.ZodType<Params> =>
  z.object({ ...params, ...routeParams.shape }) as unknown as z.ZodType<Params>;

/**
 * Returns the path parameters of a route that has none of its own, and the check that throws 404. A
 * personal space needs no check, since it always exists.
 */
export const mountParams = (mount: Mount): { params?: z.ZodType; object?: Mount['spaceOf'] } =>
  mount.kind === 'personal' ? {} : { params: z.object(mount.params), object: mount.spaceOf };

/** Returns an operation's id in a mount: for teams, `createPrompt` becomes `createTeamPrompt`. */
export const operationName = ({ word }: Mount, operation: string): string =>
  operation.replace(/^[a-z]+/, (verb) => verb + word);

/** Returns a noun in a mount, for titles of operations: for teams, `prompt` becomes `team prompt`. */
export const nounIn = ({ word }: Mount, noun: string): string =>
  word === '' ? noun : `${word.toLowerCase()} ${noun}`;

/** Returns that noun with its article: `a team prompt`, `an organization prompt`. */
export function oneIn(mount: Mount, noun: string): string {
  const named = nounIn(mount, noun);
  return `${/^[aeiou]/.test(named) ? 'an' : 'a'} ${named}`;
}

/** Returns a plural in a mount; only those of a personal space are `your prompts`. */
export const manyIn = (mount: Mount, plural: string): string =>
  mount.kind === 'personal' ? `your ${plural}` : nounIn(mount, plural);

/** Returns a tag's name in a mount: for teams, `Prompts` becomes `Team prompts`. */
export const tagName = ({ word }: Mount, tag: string): string =>
  word === '' ? tag : `${word} ${tag.toLowerCase()}`;
