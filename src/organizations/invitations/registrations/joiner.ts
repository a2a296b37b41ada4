import { createRetry } from '../../../authz/authz.ts';
import { systemActor } from '../../../caller/actor.ts';
import type { Actor } from '../../../caller/actor.ts';
import { isRefusal } from '../../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import type { createAcceptance } from '../accept.ts';
import { invitationInvalid } from '../rules.ts';
import { consumeInvitation, findOpenInvitation } from '../store.ts';
import { listPendingJoins, removePendingJoin } from './store.ts';
import type { PendingJoin } from './store.ts';

export interface JoinerDependencies extends Pick<OrganizationsDependencies, 'database' | 'log'> {
  admit: ReturnType<typeof createAcceptance>['admit'];
}

const JOIN_MS = 5_000;
const BATCH = 100;

/**
 * Makes verified accounts join the organizations whose invitations they registered with. If a
 * server is unavailable, the next run tries again; an invitation that has ended is dropped.
 */
export function createJoiner({ database, admit, log }: JoinerDependencies) {
  const { pool } = database;
  const retry = createRetry();

  async function join(pending: PendingJoin, actor: Actor): Promise<void> {
    const { invitation_id: id, account_id } = pending;
    const invitation = await findOpenInvitation(pool, id);
    if (invitation === null) throw invitationInvalid();
    // The link was checked at registration, so a newer one does not matter.
    await admit(invitation, account_id, { actor, basis: null }, async (transaction) => {
      await removePendingJoin(transaction, pending);
      return consumeInvitation(transaction, { id, account_id, hash: null });
    });
  }

  const logFailure = (error: unknown) =>
    log.warn({ err: error }, 'joining through an invitation failed; next attempt in a minute');

  async function joinOrDiscard(pending: PendingJoin, actor: Actor): Promise<void> {
    const attempt = () => join(pending, actor);
    const until = performance.now() + JOIN_MS;
    try {
      await retry({ attempt, retry: attempt, contended: null, until });
    } catch (error) {
      if (!isRefusal(error) || error.kind === 'unavailable') logFailure(error);
      else await removePendingJoin(pool, pending);
    }
  }

  /** Completes the pending joins of one account, or of all; never throws. */
  return async function completeJoins(actor: Actor | null = null): Promise<void> {
    try {
      for (const pending of await listPendingJoins(pool, BATCH, actor?.id ?? null))
        await joinOrDiscard(
          pending,
          actor ?? { ...systemActor, kind: 'user', id: pending.account_id },
        );
    } catch (error) {
      logFailure(error);
    }
  };
}
