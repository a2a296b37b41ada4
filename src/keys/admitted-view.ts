import type { AgentPrincipal } from '../caller/principal.ts';
import { isAdmitted } from '../credentials/credentials.ts';
import type { Credential } from '../credentials/credentials.ts';
import { policiesOf } from '../policies/item-policies.ts';
import { nowhere } from '../visibility/visibility.ts';
import type { View } from '../visibility/visibility.ts';

/** Returns what a credential sees now, as `read` returns it: nothing while MCP refuses it. */
export const admittedView = async (
  credential: Pick<Credential, 'usable' | 'principal'>,
  read: (principal: AgentPrincipal) => Promise<View>,
): Promise<View> =>
  isAdmitted(credential)
    ? read(credential.principal)
    : { ...nowhere, policies: policiesOf(credential.principal) };
