import { authorityOf } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import { absent, throwIfAny } from '../../../platform/errors/refusal.ts';
import type { Problem } from '../../../platform/errors/refusal.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import {
  agentPolicyFaults,
  policiesOf,
  promptPolicyFaults,
  resourcePolicyFaults,
  toolPolicyFaults,
} from '../../../policies/item-policies.ts';
import type { Policies } from '../../../policies/item-policies.ts';
import type { PolicyFault } from '../../../policies/policy.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import { MAX_PROBLEMS } from '../../escalation.ts';
import type { TeamParams } from '../schema.ts';
import { findPolicies, replacePolicy } from '../store.ts';

export type PolicyFamily = keyof Policies;

/**
 * The exposure policies of teams: which items of the organization's catalog a team admits, besides
 * those that are for the whole organization (S8, P9).
 */
export interface TeamPolicies {
  get<Family extends PolicyFamily>(team: TeamParams, family: Family): Promise<Policies[Family]>;
  /** Replaces a policy; its lists name built-in items and those of the organization's catalog. */
  replace<Family extends PolicyFamily>(
    caller: Principal,
    change: { team: TeamParams; family: Family; policy: Policies[Family] },
    request: RequestFacts,
  ): Promise<Policies[Family]>;
}

export interface TeamPoliciesDependencies extends Pick<OrganizationsDependencies, 'database'> {
  authz: Pick<OrganizationsDependencies['authz'], 'editContent'>;
  catalog: Pick<Catalog, 'toolById' | 'promptById'>;
  /** Returns those of these ids that are items of the organization's catalog, with their families. */
  catalogItems(
    connection: Connection,
    organization_id: string,
    ids: string[],
  ): Promise<ReadonlyMap<string, PolicyFamily>>;
}

export function createTeamPolicies(dependencies: TeamPoliciesDependencies): TeamPolicies {
  const { database, authz } = dependencies;
  const { pool } = database;
  const problemsOf = createPolicyProblems(dependencies);

  async function read(connection: Connection, { organization_id, team_id: id }: TeamParams) {
    const stored = await findPolicies(connection, { id, organization_id });
    if (stored === null) throw absent('deleted meanwhile');
    return policiesOf(stored);
  }

  return {
    get: async (team, family) => (await read(pool, team))[family],
    async replace(caller, { team, family, policy }, request) {
      const { organization_id, team_id: id } = team;
      const sent = { [family]: policy };
      throwIfAny(await problemsOf(pool, team, sent, await read(pool, team)), MAX_PROBLEMS);
      await authz.editContent({
        ...authorityOf(caller, request),
        reason: 'team.policy',
        writes: [{ kind: 'organization', id: organization_id }],
        targets: [{ type: 'team', id }],
        async work(transaction) {
          const before = await read(transaction, team);
          // Again, under the lock that deletions of catalog items wait for.
          throwIfAny(await problemsOf(transaction, team, sent, before), MAX_PROBLEMS);
          await replacePolicy(transaction, { id, organization_id }, family, policy);
          return before[family];
        },
        detail: (before) => ({ family, before, after: policy }),
      });
      return policy;
    },
  };
}

type Sent = { [Family in PolicyFamily]?: Policies[Family] };

/** Creates a function that returns the 422 problems of a policy that differs from the stored one. */
function createPolicyProblems({
  catalog,
  catalogItems,
}: Pick<TeamPoliciesDependencies, 'catalog' | 'catalogItems'>) {
  const isCurrent = (item: { deprecated?: boolean } | undefined) =>
    item !== undefined && item.deprecated !== true;

  return async function problemsOf(
    connection: Connection,
    { organization_id }: TeamParams,
    sent: Sent,
    stored: Policies,
  ): Promise<Problem[]> {
    const own = await catalogItems(connection, organization_id, [
      ...(sent.tool?.custom_tools ?? []),
      ...(sent.prompt?.prompts ?? []),
      ...(sent.agent?.agents ?? []),
    ]);
    const faultsOf = <Family extends PolicyFamily>(
      family: Family,
      find: (policy: Policies[Family]) => PolicyFault[],
    ): PolicyFault[] => {
      const policy = sent[family];
      // Both were parsed by one schema, so their fields are in the same order.
      const isSame = JSON.stringify(policy) === JSON.stringify(stored[family]);
      return policy === undefined || isSame ? [] : find(policy);
    };
    const faults = [
      ...faultsOf('tool', (policy) =>
        toolPolicyFaults(policy, (list, id) =>
          list === 'tools' ? isCurrent(catalog.toolById(id)) : own.get(id) === 'tool',
        ),
      ),
      ...faultsOf('prompt', (policy) =>
        promptPolicyFaults(policy, (list, id) =>
          list === 'prompts' ? own.get(id) === 'prompt' : isCurrent(catalog.promptById(id)),
        ),
      ),
      ...faultsOf('resource', resourcePolicyFaults),
      ...faultsOf('agent', (policy) => agentPolicyFaults(policy, (id) => own.get(id) === 'agent')),
    ];
    return faults.map(({ code, message, pointer }) => ({ code, message, detail: { pointer } }));
  };
}
