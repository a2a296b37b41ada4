import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import { conflict, unprocessable } from '../../platform/errors/refusal.ts';
import type { MemberRow } from './store.ts';

/** Returns whether the caller is a session of this member. */
export const isSelf = (caller: Principal, { account_id }: Pick<MemberRow, 'account_id'>) =>
  isSession(caller) && caller.person === account_id;

/** Builds the 422 for leaving as the Owner or dropping the Owner role without a transfer. */
export const lastOwner = () =>
  unprocessable('last_owner', 'Transfer ownership to another member first.');

export const alreadyMember = () => conflict('already_member', 'This person is already a member.');
