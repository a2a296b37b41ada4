import { capturing } from '../authz/authz.ts';
import { authorityOf } from '../caller/actor.ts';
import type { Principal, SessionPrincipal } from '../caller/principal.ts';
import type { RequestFacts } from '../caller/route.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { PlanName } from '../platform/config/plans.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import { accountRules } from './account-rules.ts';
import { createBilling } from './billing/billing.ts';
import type { Billing } from './billing/billing.ts';
import { createOrganizationCreation } from './create.ts';
import type { NewOrganization } from './create.ts';
import { createDeletion } from './deletion/deletion.ts';
import { createRemover } from './deletion/remover.ts';
import type { OrganizationsDependencies } from './dependencies.ts';
import { createDelegation } from './delegation.ts';
import { createDirectoryChanges } from './directory/directory.ts';
import type { DirectoryChanges } from './directory/directory.ts';
import type { Delegation } from './delegation.ts';
import { createGrants } from './grants/grants.ts';
import { createJoinGrants } from './join-grants/join-grants.ts';
import type { JoinGrants } from './join-grants/join-grants.ts';
import { createSeatGuard } from './invitations/seats/guard.ts';
import { createInvitations } from './invitations/invitations.ts';
import type { Invitations } from './invitations/invitations.ts';
import { exportInvitations } from './invitations/store.ts';
import type { Registrations } from './invitations/registrations/registrations.ts';
import { createJoin } from './members/join.ts';
import { createMembers } from './members/members.ts';
import type { Members } from './members/members.ts';
import { createOperations } from './operations/operations.ts';
import type { OrganizationOperations } from './operations/operations.ts';
import { createOrganizationReads } from './reading.ts';
import { organizationLevel } from './roles/organization-level.ts';
import { createRoles } from './roles/roles.ts';
import type { Roles } from './roles/roles.ts';
import { exportOrganizations } from './members/export.ts';
import type {
  OrganizationDeletion,
  OrganizationDraft,
  OrganizationEdit,
  OrganizationListing,
  OrganizationRecord,
} from './schema.ts';
import { findOrganizationState, lockOrganization, renameOrganization } from './store.ts';
import { createTeamVisibility } from './teams/visibility.ts';
import { createTeams } from './teams/teams.ts';
import type { Teams } from './teams/teams.ts';
import type { TeamPoliciesDependencies } from './teams/policies/policies.ts';

export { replaceBindings } from './credentials/bindings/store.ts';
export { changeOfCredential } from './credentials/change.ts';
export type { CredentialChange } from './credentials/change.ts';
export { grantFor, organizationsOf } from './credentials/grants.ts';
export { apiKeys, oauthConnections } from './credentials/kinds.ts';
export type { CredentialOwner } from './credentials/kinds.ts';
export { findServiceScope } from './credentials/store.ts';
export { createDelegation } from './delegation.ts';
export { MAX_SEATS_PER_CHANGE } from './directory/seats.ts';
export type { DirectoryChanges } from './directory/directory.ts';
export type { Delegation, DelegatedAuthority } from './delegation.ts';
export type { Teams } from './teams/teams.ts';
export { readMember } from './members/principal.ts';
export { findMember, findMemberships } from './members/store.ts';
export { OrganizationParams } from './schema.ts';
export { lockOrganization } from './store.ts';
export type { MemberKey } from './members/store.ts';
export { managesEveryTeamSql } from './roles/store.ts';
export { MEMBER_ROLE, OWNER_ROLE } from './roles/system.ts';
export { membershipObject } from './members/tuples.ts';
export { TEAM_ADMIN_ROLE } from './roles/system.ts';
export { unknownTeam } from './teams/refusals.ts';
export { seatObject } from './teams/seats/tuples.ts';

/** Operations on organizations, for their members and for the operator. */
export interface Organizations {
  create(
    caller: SessionPrincipal,
    draft: OrganizationDraft,
    request: RequestFacts,
  ): Promise<OrganizationRecord>;
  /** Returns the caller's organizations; for a key, only those that it has a grant for. */
  list(caller: Principal, page: PageQuery): Promise<Page<OrganizationListing>>;
  get(caller: Principal, id: string): Promise<OrganizationRecord>;
  update(
    caller: Principal,
    id: string,
    edit: OrganizationEdit,
    request: RequestFacts,
  ): Promise<OrganizationRecord>;
  /** Deletes an organization with all its data; takes effect with the next request. */
  delete(
    caller: SessionPrincipal,
    id: string,
    body: OrganizationDeletion,
    request: RequestFacts,
  ): Promise<void>;
  billing: Billing;
  members: Members;
  invitations: Invitations;
  operations: OrganizationOperations;
  roles: Roles;
  teams: Teams;
  /** The same operations with all their checks, which request their changes of `capturing`. */
  captured: Pick<Organizations, 'members' | 'roles' | 'teams'>;
  delegation: Delegation;
  joinGrants: JoinGrants;
  /** Ends a member's seats in deleted teams now, instead of in the background. */
  removeDeletedSeats(membership_id: string): Promise<void>;
  /** Makes a person a member; the caller must have checked that the inviter may grant the roles. */
  join: ReturnType<typeof createJoin>;
  /** Changes that an organization’s directory makes, through SCIM. */
  directory: DirectoryChanges;
  exportOf: typeof exportOrganizations;
  /** Returns the invitations to an account's address, for its export. */
  exportInvitations(db: Queryable, account_id: string, limit: number): Promise<unknown>;
  /** Returns the plan of an organization; null if it is deleted. */
  planOf(id: string): Promise<PlanName | null>;
  /** The rules that apply to accounts because of their memberships. */
  rules: typeof accountRules & { invitations: Registrations };
  start(): void;
  stop(): Promise<void>;
}

export interface AllDependencies extends OrganizationsDependencies {
  /** The built-in items, which policies of teams may name. */
  catalog: TeamPoliciesDependencies['catalog'];
  catalogItems: TeamPoliciesDependencies['catalogItems'];
}

export function createOrganizations(dependencies: AllDependencies): Organizations {
  const { authz } = dependencies;
  const remover = createRemover(dependencies);
  const create = createOrganizationCreation(dependencies);
  const grants = createGrants(dependencies);
  const join = createJoin(dependencies);
  const visibility = createTeamVisibility({ ...dependencies, grants });
  const seatGuard = createSeatGuard({ database: dependencies.database, grants, visibility });
  const invitations = createInvitations({ ...dependencies, grants, seatGuard, join });
  const { registrations } = invitations;

  const { get, list } = createOrganizationReads(dependencies);
  const shared = { grants, visibility, removeSoon: remover.runSoon };
  const createEdited = (parts: AllDependencies) => ({
    members: createMembers({ ...parts, grants }),
    roles: createRoles({ ...parts, ...shared, level: organizationLevel({ ...parts, grants }) }),
    teams: createTeams({ ...parts, ...shared }),
  });

  return {
    async create(caller, draft, request) {
      const { id } = await request.once<NewOrganization>((save) =>
        create(caller, draft, request, save),
      );
      return get(caller, id);
    },
    list,
    get,
    async update(caller, id, { name }, request) {
      const stored = await get(caller, id);
      if (name !== undefined && name !== stored.name)
        await authz.edit({
          ...authorityOf(caller, request),
          reason: 'organization.update',
          writes: [{ kind: 'organization', id }],
          targets: [{ type: 'organization', id }],
          async work(transaction) {
            const before = await lockOrganization(transaction, id);
            if (before === null) throw absent('deleted concurrently');
            await renameOrganization(transaction, { id, name });
            return { before: { name: before }, after: { name } };
          },
          detail: (change) => change,
        });
      return get(caller, id);
    },
    delete: createDeletion({ ...dependencies, removeSoon: remover.runSoon }),
    billing: createBilling(dependencies),
    ...createEdited(dependencies),
    captured: createEdited({ ...dependencies, authz: { ...authz, ...capturing } }),
    invitations,
    operations: createOperations(dependencies),
    delegation: createDelegation(dependencies),
    joinGrants: createJoinGrants({ ...dependencies, grants, seatGuard }),
    removeDeletedSeats: remover.removeDeletedSeats,
    join,
    directory: createDirectoryChanges({ ...dependencies, join, removeSoon: remover.runSoon }),
    rules: { ...accountRules, invitations: registrations },
    planOf: async (id) =>
      (await findOrganizationState(dependencies.database.pool, id))?.plan ?? null,
    exportInvitations,
    exportOf: exportOrganizations,
    start() {
      remover.start();
      registrations.start();
    },
    async stop() {
      await Promise.all([remover.stop(), registrations.stop()]);
    },
  };
}
