import { capabilityByScope, permissionByScope } from '../../authz/permissions.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { OAuthClient } from '../clients/clients.ts';
import type { ConsentDependencies } from './dependencies.ts';

type Delegation = ConsentDependencies['delegation'];
/** A person's membership in the client's organization. */
export type Member = NonNullable<Awaited<ReturnType<Delegation['findMember']>>>;

/** Returns those of the scopes that have a name in grants, with the scope as pointer. */
function namesOf<Name extends string>(
  scopes: readonly string[],
  nameOf: (scope: string) => Name | null,
) {
  return scopes.flatMap((pointer) => {
    const name = nameOf(pointer);
    return name === null ? [] : [{ name, pointer }];
  });
}

/**
 * Creates the function that returns the scopes that a member lacks in the organization and in these
 * teams. A client with an authority of its own was given it at registration (SC4): its people need
 * none.
 */
export const createUnavailable =
  (delegation: Delegation) =>
  async (
    client: Pick<OAuthClient, 'has_own_authority'>,
    member: Member,
    scopes: readonly string[],
    team_ids: readonly string[] | null,
  ): Promise<ReadonlyMap<string, Problem>> => {
    if (client.has_own_authority) return new Map();
    const problems = await delegation.problems(member, {
      permissions: namesOf(scopes, (scope) => permissionByScope(scope)?.grant ?? null),
      capabilities: namesOf(scopes, capabilityByScope),
      ...{ team_ids, acts_for_member: true },
    });
    return new Map(problems.map((one) => [(one.detail as { pointer: string }).pointer, one]));
  };
