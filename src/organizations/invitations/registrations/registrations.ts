import { personActor } from '../../../caller/actor.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';
import { hashSecret } from '../../../platform/secrets.ts';
import { forAnotherAddress, invitationInvalid } from '../rules.ts';
import { findInvitationByLink } from '../store.ts';
import { createJoiner } from './joiner.ts';
import type { JoinerDependencies } from './joiner.ts';
import { claimRegistration, insertInvitedRegistration } from './store.ts';

/** Registrations through an invitation. */
export interface Registrations {
  /** Returns the open invitation of a link; throws 422 unless it was sent to this address. */
  requireInvitation(token: string, email: string): Promise<string>;
  /** Saves that a person registered through an invitation. */
  add(
    transaction: Transaction,
    row: { registration_id: string; invitation_id: string },
  ): Promise<void>;
  /** Saves which account a registration became, in the transaction that verifies its address. */
  claim(
    transaction: Transaction,
    row: { registration_id: string; account_id: string },
  ): Promise<void>;
  /** Makes a verified account join, now or in the background; never throws. */
  join(account_id: string, request: RequestFacts): Promise<void>;
  /** Completes joins that a stopped process or an outage prevented. */
  completeJoins(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const POINTER = '/invitation_token';
const EVERY_MS = 60_000;

export function createRegistrations(dependencies: JoinerDependencies): Registrations {
  const { pool } = dependencies.database;
  const completeJoins = createJoiner(dependencies);
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> = Promise.resolve();

  return {
    async requireInvitation(token, email) {
      const invitation = await findInvitationByLink(pool, hashSecret(token));
      if (invitation === null) throw invitationInvalid(POINTER);
      if (invitation.email !== email) throw forAnotherAddress(POINTER);
      return invitation.id;
    },
    add: insertInvitedRegistration,
    claim: claimRegistration,
    join: (account_id, request) => completeJoins(personActor(account_id, request)),
    completeJoins: () => completeJoins(),
    start() {
      timer ??= setInterval(() => {
        run = run.then(() => completeJoins());
      }, EVERY_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await run;
    },
  };
}
