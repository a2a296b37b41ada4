import type { Principal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { DefaultAgents } from './default-agents.ts';
import type { Guards } from './guards.ts';
import type { createNamedItems } from './named-items.ts';
import type { createDelegationRules } from './delegated.ts';
import { grantProblems, ownPolicyProblems } from './rules.ts';
import type { KeyDraft } from './schema.ts';
import type { KeyOwner } from './store.ts';

export interface ValidateKeyDraftDependencies {
  database: Pick<Database, 'pool'>;
  guards: Pick<Guards, 'expiryProblems'>;
  agents: DefaultAgents;
  namedProblems: ReturnType<typeof createNamedItems>;
  checkDelegated: ReturnType<typeof createDelegationRules>;
}

/** Returns the organization that a key of this draft runs in; null for its person's account. */
export const runsIn = (owner: KeyOwner, draft: Pick<KeyDraft, 'org_scope'>): string | null =>
  owner.kind === 'organization' ? owner.id : draft.org_scope;

/** Creates `validateKeyDraft`, which returns the 422 problems for creation and preview. */
export function createValidateKeyDraft(dependencies: ValidateKeyDraftDependencies) {
  const { database, guards, agents, namedProblems, checkDelegated } = dependencies;
  return async function validateKeyDraft(caller: Principal, owner: KeyOwner, draft: KeyDraft) {
    const runs_in = runsIn(owner, draft);
    const context = { owner, runs_in, team_ids: draft.team_ids };
    const reach = await agents.reachFor(caller, context, [draft.default_agent_id]);
    const delegated = await checkDelegated(caller, owner, { ...draft, runs_in }, null);
    const naming = { owner, sent: draft, runs_in, stored: null, reach };
    const problems = [
      ...grantProblems(draft.grants),
      ...delegated.problems,
      ...(runs_in === null ? [] : ownPolicyProblems(draft, true)),
      ...(await namedProblems(database.pool, naming)),
      ...(await guards.expiryProblems(draft.expires_at, null)),
    ];
    return { problems, naming, basis: delegated.basis };
  };
}
