import { createRetry } from '../../../authz/authz.ts';
import { systemActor } from '../../../caller/actor.ts';
import type { Actor } from '../../../caller/actor.ts';
import { isRefusal } from '../../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import type { createAcceptance } from '../accept.ts';
import { invitationInvalid } from '../rules.ts';
import { consumeInvitation, findOpen } from '../store.ts';
import { listWaiting, removeWaiting } from './store.ts';
import type { Waiting } from './store.ts';

export interface JoinerDependencies extends Pick<OrganizationsDependencies, 'database' | 'log'> {
  admit: ReturnType<typeof createAcceptance>['admit'];
}

const JOIN_MS = 5_000;
const BATCH = 100;

/**
 * Lets verified accounts join where they were invited. What cannot be decided now is left for the
 * next run; an invitation that has ended gives nothing.
 */
export function createJoiner({ database, admit, log }: JoinerDependencies) {
  const { pool } = database;
  const retry = createRetry();

  async function join(waiting: Waiting, actor: Actor): Promise<void> {
    const { invitation_id: id, account_id } = waiting;
    const invitation = await findOpen(pool, id);
    if (invitation === null) throw invitationInvalid();
    // The registration had the link; whether another one was sent since does not matter.
    await admit(invitation, account_id, { actor, basis: null }, async (transaction) => {
      await removeWaiting(transaction, waiting);
      return consumeInvitation(transaction, { id, account_id, hash: null });
    });
  }

  const failed = (error: unknown) =>
    log.warn({ err: error }, 'joining by an invitation failed; next attempt in a minute');

  async function joinOrGiveUp(waiting: Waiting, actor: Actor): Promise<void> {
    const attempt = () => join(waiting, actor);
    const until = performance.now() + JOIN_MS;
    try {
      await retry({ first: attempt, again: attempt, owner: null, until });
    } catch (error) {
      if (!isRefusal(error) || error.kind === 'unavailable') failed(error);
      else await removeWaiting(pool, waiting);
    }
  }

  /** Lets one account join, or all that wait; never throws. */
  return async function joinWaiting(actor: Actor | null = null): Promise<void> {
    try {
      for (const waiting of await listWaiting(pool, BATCH, actor?.id ?? null))
        await joinOrGiveUp(
          waiting,
          actor ?? { ...systemActor, kind: 'user', id: waiting.account_id },
        );
    } catch (error) {
      failed(error);
    }
  };
}
