import { authorityOf } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { isCurrent } from '../../../catalog/catalog.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import { absent, throwIfProblems } from '../../../platform/errors/refusal.ts';
import type { Problem } from '../../../platform/errors/refusal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { isUnchanged } from '../../../platform/unchanged.ts';
import { faultsOfPolicies, policiesOf } from '../../../policies/item-policies.ts';
import type { TeamName } from '../../../policies/item-name.ts';
import type { Policies } from '../../../policies/item-policies.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import type { TeamParams } from '../schema.ts';
import { dropFromPolicies, findPolicies, listPolicies, replacePolicy } from '../store.ts';

export type PolicyFamily = keyof Policies;

/**
 * Operations on the exposure policies of teams, which admit items of the organization's catalog in
 * addition to the organization-wide ones (S8, P9).
 */
export interface TeamPolicies {
  get<Family extends PolicyFamily>(team: TeamParams, family: Family): Promise<Policies[Family]>;
  /** Replaces a policy; its lists name built-in items and items of the organization's catalog. */
  replace<Family extends PolicyFamily>(
    caller: Principal,
    change: { team: TeamParams; family: Family; policy: Policies[Family] },
    request: RequestFacts,
  ): Promise<Policies[Family]>;
  /** Returns the policies of all teams of an organization. */
  all(organization_id: string): Promise<readonly NamedPolicies[]>;
  /** Removes a deleted item of an organization's catalog from every policy that lists it (PO15). */
  drop: typeof dropFromPolicies;
}

/** A team and its four policies. */
interface NamedPolicies {
  id: string;
  name: TeamName;
  policies: Policies;
}

export interface TeamPoliciesDependencies extends Pick<OrganizationsDependencies, 'database'> {
  authz: Pick<OrganizationsDependencies['authz'], 'editContent'>;
  catalog: Pick<Catalog, 'toolById' | 'promptById'>;
  /**
   * Returns the given ids that are items of the organization's catalog, with their families. The
   * catalog is the space with the organization's id.
   */
  catalogItems(
    db: Queryable,
    organization_id: string,
    ids: string[],
  ): Promise<ReadonlyMap<string, PolicyFamily>>;
}

export function createTeamPolicies(dependencies: TeamPoliciesDependencies): TeamPolicies {
  const { database, authz } = dependencies;
  const { pool } = database;
  const problemsOf = createPolicyProblems(dependencies);

  async function read(db: Queryable, { organization_id, team_id: id }: TeamParams) {
    const stored = await findPolicies(db, { id, organization_id });
    if (stored === null) throw absent('deleted concurrently');
    return policiesOf(stored);
  }

  return {
    get: async (team, family) => (await read(pool, team))[family],
    async replace(caller, { team, family, policy }, request) {
      const { organization_id, team_id: id } = team;
      const edited = { [family]: policy };
      const stored = await read(pool, team);
      throwIfProblems(await problemsOf(pool, team, edited, stored));
      if (isUnchanged(stored[family], policy)) return stored[family];
      await authz.editContent({
        ...authorityOf(caller, request),
        reason: 'team.policy',
        writes: [{ kind: 'organization', id: organization_id }],
        targets: [{ type: 'team', id }],
        async work(transaction) {
          const before = await read(transaction, team);
          // Checked again under the lock that deletions of catalog items wait for.
          throwIfProblems(await problemsOf(transaction, team, edited, before));
          await replacePolicy(transaction, { id, organization_id }, family, policy);
          return before[family];
        },
        detail: (before) => ({ family, before, after: policy }),
      });
      return policy;
    },
    async all(organization_id) {
      const teams = await listPolicies(pool, organization_id);
      return teams.map(({ id, name, ...stored }) => ({ id, name, policies: policiesOf(stored) }));
    },
    drop: dropFromPolicies,
  };
}

type EditedPolicies = { [Family in PolicyFamily]?: Policies[Family] };

/**
 * Creates a function that returns the 422 problems of the policies that differ from the stored
 * ones.
 */
function createPolicyProblems({
  catalog,
  catalogItems,
}: Pick<TeamPoliciesDependencies, 'catalog' | 'catalogItems'>) {
  return async function problemsOf(
    db: Queryable,
    { organization_id }: TeamParams,
    edited: EditedPolicies,
    stored: Policies,
  ): Promise<Problem[]> {
    const catalogFamilies = await catalogItems(db, organization_id, [
      ...(edited.tool?.custom_tools ?? []),
      ...(edited.prompt?.prompts ?? []),
      ...(edited.agent?.agents ?? []),
    ]);
    const faults = faultsOfPolicies(edited, stored, {
      isTool: (list, id) =>
        list === 'tools' ? isCurrent(catalog.toolById(id)) : catalogFamilies.get(id) === 'tool',
      isPrompt: (list, id) =>
        list === 'prompts'
          ? catalogFamilies.get(id) === 'prompt'
          : isCurrent(catalog.promptById(id)),
      isAgent: (id) => catalogFamilies.get(id) === 'agent',
    });
    return faults.map(({ code, message, pointer }) => ({ code, message, detail: { pointer } }));
  };
}
