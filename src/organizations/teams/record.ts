import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { findMember } from '../members/store.ts';
import { grantOfToken } from '../token-grant.ts';
import { nameOf } from '../roles/kind.ts';
import type { RoleContent } from '../roles/kind.ts';
import { teamRoles } from '../roles/system.ts';
import type { TeamRecord } from './schema.ts';
import { contentIn } from './seats/seats.ts';
import { findKeyGrant } from './store.ts';
import type { TeamRow } from './store.ts';
import type { ViewedTeam } from './visibility.ts';

const NOTHING: RoleContent = { permissions: [], capabilities: [] };

/** Creates a function that returns teams' records, with what the caller may do in each. */
export function createTeamRecords({
  database: { pool },
}: Pick<OrganizationsDependencies, 'database'>) {
  /** Returns a function that returns what a member may do in a team. */
  async function contentOfMember(
    organization_id: string,
    account_id: string,
  ): Promise<(team: TeamRow) => RoleContent> {
    const member = await findMember(pool, { organization_id, account_id });
    if (member === null) return () => NOTHING;
    return ({ roles }) => contentIn(member, { roles: roles ?? [] });
  }

  /**
   * Returns a function that returns what a key may do in a team where it is active: what it was
   * granted, limited to what its person has there if it acts for one.
   */
  async function contentOfKey(
    caller: Principal,
    organization_id: string,
  ): Promise<(team: TeamRow) => RoleContent> {
    const { credential, person } = caller;
    const token = grantOfToken(caller);
    const grant = token ?? (await findKeyGrant(pool, { key_id: credential.id, organization_id }));
    const granted: RoleContent = grant === null ? NOTHING : teamRoles.contentOf([grant]);
    if (person === null || token?.acts_for_member === false) return () => granted;
    const contentOf = await contentOfMember(organization_id, person);
    return (team) => {
      const { permissions, capabilities } = contentOf(team);
      return {
        permissions: permissions.filter((name) => granted.permissions.includes(name)),
        capabilities: capabilities.filter((name) => granted.capabilities.includes(name)),
      };
    };
  }

  return async function recordsOf(
    caller: Principal,
    organization_id: string,
    teams: readonly ViewedTeam[],
  ): Promise<TeamRecord[]> {
    const contentOf = isSession(caller)
      ? await contentOfMember(organization_id, caller.person)
      : await contentOfKey(caller, organization_id);
    return teams.map((team) => recordOf(team, contentOf(team)));
  };
}

function recordOf({ roles, inside, ...fields }: ViewedTeam, content: RoleContent): TeamRecord {
  if (!inside) return { ...fields, membership: null };
  return {
    ...fields,
    membership: {
      roles: (roles ?? []).map(teamRoles.resolve).map(nameOf),
      permissions: [...content.permissions],
      capabilities: [...content.capabilities],
    },
  };
}
