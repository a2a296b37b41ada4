import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import { conflict, unprocessable } from '../../platform/errors/refusal.ts';
import type { MemberRow } from './store.ts';

/** Returns whether a session acts on its own person. */
export const isOwn = (caller: Principal, { account_id }: Pick<MemberRow, 'account_id'>) =>
  isSession(caller) && caller.person === account_id;

/** There is always one Owner, who can neither leave nor lose the role except by a transfer. */
export const lastOwner = () =>
  unprocessable('last_owner', 'Transfer the ownership to another member first.');

export const alreadyMember = () => conflict('already_member', 'This person is a member already.');
