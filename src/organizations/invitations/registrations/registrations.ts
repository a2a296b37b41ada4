import { personActor } from '../../../caller/actor.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { hashSecret } from '../../../platform/secrets.ts';
import { forAnotherAddress, invitationInvalid } from '../rules.ts';
import { findInvitationByLink } from '../store.ts';
import { createJoiner } from './joiner.ts';
import type { JoinerDependencies } from './joiner.ts';
import { claimRegistration, insertInvitedRegistration } from './store.ts';

const POINTER = '/invitation_token';
const EVERY_MS = 60_000;

/** Creates the operations of registrations through an invitation. */
export function createRegistrations(dependencies: JoinerDependencies) {
  const { pool } = dependencies.database;
  const completeJoins = createJoiner(dependencies);
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> = Promise.resolve();

  return {
    /** Returns the open invitation of a link; throws 422 unless it was sent to this address. */
    async requireInvitation(token: string, email: string) {
      const invitation = await findInvitationByLink(pool, hashSecret(token));
      if (invitation === null) throw invitationInvalid(POINTER);
      if (invitation.email !== email) throw forAnotherAddress(POINTER);
      return invitation.id;
    },
    /** Saves that a person registered through an invitation. */
    add: insertInvitedRegistration,
    /** Saves which account a registration became, in the transaction that verifies its address. */
    claim: claimRegistration,
    /** Makes a verified account join, now or in the background; never throws. */
    join: (account_id: string, request: RequestFacts) =>
      completeJoins(personActor(account_id, request)),
    /** Completes joins that a stopped process or an outage prevented. */
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
export type Registrations = ReturnType<typeof createRegistrations>;
