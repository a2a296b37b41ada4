import type { SessionPrincipal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { DefaultAgents } from './default-agents.ts';
import type { Guards } from './guards.ts';
import type { createNamedItems } from './named-items.ts';
import { grantProblems, notMember } from './rules.ts';
import type { KeyDraft } from './schema.ts';

export interface ValidateKeyDraftDependencies {
  database: Pick<Database, 'pool'>;
  guards: Pick<Guards, 'expiryProblems'>;
  agents: DefaultAgents;
  namedProblems: ReturnType<typeof createNamedItems>;
}

/** Creates `validateKeyDraft`, which returns the 422 problems for creation and preview. */
export function createValidateKeyDraft(dependencies: ValidateKeyDraftDependencies) {
  const { database, guards, agents, namedProblems } = dependencies;
  return async function validateKeyDraft(caller: SessionPrincipal, draft: KeyDraft) {
    const reach = await agents.reachFor(caller, [draft.default_agent_id]);
    const naming = { account_id: caller.person, sent: draft, stored: null, reach };
    const problems = [
      ...grantProblems(draft.grants),
      ...(draft.org_scope === null ? [] : [notMember('/org_scope')]),
      ...(await namedProblems(database.pool, naming)),
      ...(await guards.expiryProblems(draft.expires_at, null)),
    ];
    return { problems, naming, reach };
  };
}
