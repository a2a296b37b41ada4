import { generateSecret, generateURI } from 'otplib';
import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Reauthentication, RequestFacts } from '../../caller/route.ts';
import { absent, conflict, unprocessable } from '../../platform/errors/refusal.ts';
import type { AccountsParts } from '../dependencies.ts';
import { passwordNeeded } from '../passwords/reauthentication.ts';
import { accountDeleted } from '../refusals.ts';
import type { ChangeFactors, FactorChange } from '../second-factor/change.ts';
import { requireOwnProof } from '../sso-access/own-proof.ts';
import { lockAccountBySession } from '../store.ts';
import type { TotpCodes } from './codes.ts';
import type { TotpSetUp } from '../second-factor/schema.ts';
import { confirmTotp, dropTotp, findPendingTotp, findTotp, startTotp } from './store.ts';

interface TotpParts extends AccountsParts {
  changeFactors: ChangeFactors;
  codes: TotpCodes;
}

/** Sets up an authenticator app in two steps, and removes it. */
export function createTotp(parts: TotpParts) {
  const { database, limitForm, refundForm, changeFactors, codes } = parts;
  const recordRefused = createRefusalRecord(parts);

  /** Returns a new seed, which has no effect until one of its codes is confirmed. */
  async function start(
    caller: SessionPrincipal,
    reauthentication: Reauthentication,
  ): Promise<TotpSetUp> {
    const { person: account_id } = caller;
    const secret = generateSecret();
    await database.transaction(async (transaction) => {
      const account = await lockAccountBySession(transaction, caller.credential.id);
      if (account === null) throw accountDeleted();
      if (account.password_hash !== reauthentication.password_hash) throw passwordNeeded();
      const seed = codes.seal(account_id, secret);
      if (!(await startTotp(transaction, account_id, seed))) throw alreadyOn();
    });
    const label = caller.email || account_id;
    return { secret, otpauth_uri: generateURI({ issuer: 'toolgate', label, secret }) };
  }

  /** Turns TOTP on. Returns recovery codes if it is the account's first factor, else null. */
  async function confirm(
    caller: SessionPrincipal,
    code: string,
    request: RequestFacts,
  ): Promise<string[] | null> {
    const { person: account_id, email } = caller;
    const attempt = { address: request.address, email: email || account_id, account: account_id };
    await limitForm('second_factor', attempt);
    const refusal = codeWrong();
    const change: FactorChange = {
      caller,
      request,
      reauthentication: null,
      action: 'totp.enable',
      async work(transaction) {
        const row = await findPendingTotp(transaction, account_id);
        const step = row && codes.stepOf(account_id, row, code);
        if (step === null || !(await confirmTotp(transaction, account_id, step))) throw refusal;
      },
    };
    const recoveryCodes = await changeFactors(change).catch(async (error: unknown) => {
      if (error === refusal) await recordRefused(caller, request);
      throw error;
    });
    await refundForm('second_factor', attempt);
    return recoveryCodes;
  }

  async function stop(
    caller: SessionPrincipal,
    reauthentication: Reauthentication,
    request: RequestFacts,
  ): Promise<void> {
    if ((await findTotp(database.pool, caller.person)) === null) throw notOn();
    await changeFactors({
      caller,
      request,
      reauthentication,
      action: 'totp.disable',
      async work(transaction) {
        const added_at = await dropTotp(transaction, caller.person);
        if (added_at === null) throw notOn();
        await requireOwnProof(transaction, caller, added_at);
      },
    });
  }

  return { start, confirm, stop };
}

/** Records a wrong code in the audit log, after the transaction of the change was rolled back. */
const createRefusalRecord =
  ({ database, audit }: TotpParts) =>
  (caller: SessionPrincipal, request: RequestFacts): Promise<void> =>
    audit.record(database.pool, {
      actor: actorOf(caller, request),
      action: 'totp.refuse',
      outcome: 'refused',
      scope: { kind: 'account', id: caller.person },
    });

const notOn = () => absent('TOTP is not on');
const alreadyOn = () =>
  conflict('totp_on', 'An authenticator app is set up already. Remove it first.');
const codeWrong = () =>
  unprocessable('code_invalid', 'This code is wrong or has expired. Try the next one.', {
    detail: { pointer: '/code' },
  });
