import type { ObjectCaller } from '../../authz/authz.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Credential, Credentials } from '../../credentials/credentials.ts';
import { eachOf } from '../each-of.ts';
import type { SubjectRow } from './store.ts';

/** A subject as the principal that enforcement decides about. */
export interface Found {
  /** The principal of REST requests that name the organization; a member as in a session. */
  principal: ObjectCaller;
  /** The principal of MCP requests; null for a member. */
  agent: AgentPrincipal | null;
  /** Null for a member. */
  credential: Credential | null;
  /** Whether the rows allow it to send requests at all. */
  isUsable: boolean;
}

export interface FindDependencies {
  credentials: Pick<Credentials, 'findAll'>;
  /** Returns a member as in a session; null for anyone else. */
  findMember(key: { organization_id: string; account_id: string }): Promise<ObjectCaller | null>;
}

/** Creates the function that returns subjects of an organization as principals. */
export function createFind({ credentials, findMember }: FindDependencies, organization_id: string) {
  /** Returns the principals of rows, by the rows' ids; of those that still exist. */
  return async function find(
    rows: readonly Pick<SubjectRow, 'kind' | 'id'>[],
  ): Promise<Map<string, Found>> {
    const found = new Map<string, Found>();
    const ids = rows.filter(({ kind }) => kind !== 'member').map(({ id }) => id);
    for (const [id, credential] of await credentials.findAll(ids, organization_id)) {
      const { principal: agent, usable } = credential;
      const principal = credential.restPrincipal();
      const isUsable = usable && principal.organization?.status === 'active';
      found.set(id, { principal, agent, credential, isUsable });
    }
    const members = rows.filter(({ kind }) => kind === 'member');
    await eachOf(members, async ({ id: account_id }) => {
      const principal = await findMember({ organization_id, account_id });
      if (principal === null) return;
      const isUsable = principal.organization?.status === 'active';
      found.set(account_id, { principal, agent: null, credential: null, isUsable });
    });
    return found;
  };
}
