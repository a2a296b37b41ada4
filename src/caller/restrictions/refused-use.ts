import { invalidCredential } from '../../platform/errors/refusal.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';
import type { AgentPrincipal } from '../principal.ts';
import type { RestrictionReason } from './restrictions.ts';

/** A credential that was used where or when it does not work. */
export interface RefusedUse {
  caller: AgentPrincipal;
  reason: RestrictionReason;
}

const refusedUses = new WeakMap<object, RefusedUse>();

/** Returns the 401 of any invalid credential, from which only `refusedUseOf` returns the use. */
export function refusedUse(use: RefusedUse): Refusal {
  const refusal = invalidCredential(use.reason);
  refusedUses.set(refusal, use);
  return refusal;
}

/** Returns the use that an error refused; null for any other error. */
export const refusedUseOf = (error: unknown): RefusedUse | null =>
  (error instanceof Error && refusedUses.get(error)) || null;
