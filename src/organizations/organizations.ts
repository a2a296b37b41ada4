import { authorityOf } from '../caller/actor.ts';
import { isSession } from '../caller/principal.ts';
import type { Principal, SessionPrincipal } from '../caller/principal.ts';
import type { RequestFacts } from '../caller/route.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { cutPage } from '../platform/http/pages.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import { accountRules } from './account-rules.ts';
import { createMaking } from './create.ts';
import { createDeletion } from './deletion/deletion.ts';
import { createRemover } from './deletion/remover.ts';
import { createEscalationGuard } from './escalation.ts';
import { createInvitations } from './invitations/invitations.ts';
import type { Invitations } from './invitations/invitations.ts';
import { exportInvitations } from './invitations/store.ts';
import type { Registrations } from './invitations/registrations/registrations.ts';
import { createJoin } from './members/join.ts';
import { createMembers } from './members/members.ts';
import type { Members } from './members/members.ts';
import type { TransferDependencies } from './members/transfer.ts';
import { createOperations } from './operations/operations.ts';
import type { OrganizationOperations } from './operations/operations.ts';
import { createRoles } from './roles/roles.ts';
import type { Roles } from './roles/roles.ts';
import { exportMemberships } from './members/store.ts';
import { nameOf } from './roles/kind.ts';
import { organizationRoles } from './roles/system.ts';
import type {
  OrganizationDeletion,
  OrganizationDraft,
  OrganizationEdit,
  OrganizationRecord,
} from './schema.ts';
import { findOwn, listOwn, lockOrganization, renameOrganization } from './store.ts';
import type { OwnRow } from './store.ts';
import { namedTeam } from './teams/roles/system.ts';
import { createTeams } from './teams/teams.ts';
import type { Teams } from './teams/teams.ts';
import type { TeamPoliciesDependencies } from './teams/policies/policies.ts';

/** Organizations, as their members see and manage them. */
export interface Organizations {
  create(
    caller: SessionPrincipal,
    draft: OrganizationDraft,
    request: RequestFacts,
  ): Promise<OrganizationRecord>;
  /** Returns the organizations of a person; none for a credential without a grant for one. */
  list(caller: Principal, page: PageQuery): Promise<Page<OrganizationRecord>>;
  get(caller: Principal, id: string): Promise<OrganizationRecord>;
  update(
    caller: Principal,
    id: string,
    edit: OrganizationEdit,
    request: RequestFacts,
  ): Promise<OrganizationRecord>;
  /** Deletes an organization and all that is below it, from the next request on. */
  delete(
    caller: SessionPrincipal,
    id: string,
    body: OrganizationDeletion,
    request: RequestFacts,
  ): Promise<void>;
  members: Members;
  invitations: Invitations;
  operations: OrganizationOperations;
  roles: Roles;
  teams: Teams;
  /** Makes a person a member, once the roles are known to be the inviter's to give. */
  join: ReturnType<typeof createJoin>;
  /** Returns a person's memberships, left ones too, for the account export. */
  exportOf(connection: Connection, account_id: string, most: number): Promise<object[]>;
  /** Returns the invitations to an account's address, for its export. */
  exportInvitations(connection: Connection, account_id: string, most: number): Promise<unknown>;
  /** What accounts must know of their memberships: for sign-in and deletion. */
  rules: typeof accountRules & { invitations: Registrations };
  start(): void;
  stop(): Promise<void>;
}

export interface AllDependencies extends TransferDependencies {
  /** The built-in items, and an organization's own, which policies of its teams name. */
  catalog: TeamPoliciesDependencies['catalog'];
  catalogItems: TeamPoliciesDependencies['catalogItems'];
}

export function createOrganizations(dependencies: AllDependencies): Organizations {
  const { database, authz } = dependencies;
  const { pool } = database;
  const remover = createRemover(dependencies);
  const create = createMaking(dependencies);
  const escalation = createEscalationGuard(dependencies);
  const join = createJoin(dependencies);
  const invitations = createInvitations({ ...dependencies, escalation, join });
  const { registrations } = invitations;

  async function get({ person }: Principal, id: string): Promise<OrganizationRecord> {
    // A credential has a grant there only if it acts for a member.
    const row = person === null ? null : await findOwn(pool, { id, account_id: person });
    if (row === null) throw absent('left or deleted meanwhile');
    return recordOf(row);
  }

  return {
    create: async (caller, draft, request) => get(caller, await create(caller, draft, request)),
    async list(caller, page) {
      if (!isSession(caller)) return { data: [], next_cursor: null };
      const rows = await listOwn(pool, caller.person, {
        limit: page.limit + 1,
        cursor: page.cursor ?? null,
      });
      return cutPage(rows.map(recordOf), page);
    },
    get,
    async update(caller, id, { name }, request) {
      if (name !== undefined)
        await authz.editContent({
          ...authorityOf(caller, request),
          reason: 'organization.update',
          writes: [{ kind: 'organization', id }],
          targets: [{ type: 'organization', id }],
          async work(transaction) {
            const before = await lockOrganization(transaction, id);
            if (before === null) throw absent('deleted meanwhile');
            await renameOrganization(transaction, { id, name });
            return { before: { name: before }, after: { name } };
          },
          detail: (change) => change,
        });
      return get(caller, id);
    },
    delete: createDeletion({ authz, removeSoon: remover.runSoon }),
    members: createMembers({ ...dependencies, escalation }),
    invitations,
    operations: createOperations(dependencies),
    roles: createRoles({ ...dependencies, escalation }),
    teams: createTeams({ ...dependencies, removeSoon: remover.runSoon }),
    join,
    rules: { ...accountRules, invitations: registrations },
    exportInvitations,
    async exportOf(connection, account_id, most) {
      const rows = await exportMemberships(connection, account_id, most);
      return rows.map(({ roles, teams, ...row }) => ({
        ...row,
        roles: roles.map(organizationRoles.named).map(nameOf),
        teams: teams.map(namedTeam),
      }));
    },
    start() {
      remover.start();
      registrations.start();
    },
    async stop() {
      await Promise.all([remover.stop(), registrations.stop()]);
    },
  };
}

/** Returns an organization as its member sees it, with what the roles of the member give. */
function recordOf({ roles: held, teams, ...fields }: OwnRow): OrganizationRecord {
  const roles = held.map(organizationRoles.named);
  const { permissions, capabilities } = organizationRoles.contentOf(roles);
  return {
    ...fields,
    membership: {
      roles: roles.map(nameOf),
      teams: teams.map(({ id, name }) => ({ id, name })),
      permissions: [...permissions],
      capabilities: [...capabilities],
    },
  };
}
