import type { SessionCaller } from '../caller/caller.ts';
import type { RequestFacts } from '../caller/route.ts';
import type { Composer } from '../mail/mail.ts';
import type { Connection } from '../platform/database.ts';
import { absent } from '../platform/refusal.ts';
import { createAltcha } from './captcha.ts';
import type { AccountsDependencies, Parts } from './dependencies.ts';
import { createPasswords } from './passwords.ts';
import { createRegistration } from './registration.ts';
import type { Account, Registration, Resend, SignIn } from './schema.ts';
import { cookieNames } from './sessions/cookies.ts';
import type { CookieNames } from './sessions/cookies.ts';
import { createSessions } from './sessions/sessions.ts';
import type { OpenSession, Sessions } from './sessions/sessions.ts';
import { createSignIn } from './sign-in.ts';
import type { SignedIn } from './sign-in.ts';
import { findAccount, findAccountState } from './store.ts';
import { createSweeper } from './sweeper.ts';
import { accountTuples } from './tuples.ts';
import { createVerificationLetters } from './verification-letters.ts';

export type { AccountsDependencies };

export interface Accounts {
  sessions: Sessions;
  cookies: CookieNames;
  challenge(request: RequestFacts): Promise<unknown>;
  register(body: Registration, request: RequestFacts): Promise<void>;
  resend(body: Resend, request: RequestFacts): Promise<void>;
  verify(token: string, request: RequestFacts): Promise<void>;
  signIn(body: SignIn, request: RequestFacts): Promise<SignedIn>;
  refresh(refreshToken: string | undefined, request: RequestFacts): Promise<SignedIn>;
  profile(caller: SessionCaller): Promise<Account>;
  /** Letters of this module, by kind of job: handed to `mail.start`. */
  composers: Readonly<Record<string, Composer>>;
  /** The tuples of one account as its row says now. */
  project(
    connection: Connection,
    id: string,
  ): Promise<{ user: string; relation: string; object: string }[]>;
  start(): void;
  stop(): void;
}

export function createAccounts(dependencies: AccountsDependencies): Accounts {
  const { database, secrets, audit, config } = dependencies;
  const parts: Parts = {
    ...dependencies,
    captcha: dependencies.captcha ?? createAltcha(secrets.subkey('captcha')),
    passwords: dependencies.passwords ?? createPasswords(),
  };
  const sessions = createSessions({ database, audit, secrets, publicUrl: config.PUBLIC_URL });

  async function getAccount(id: string): Promise<Account> {
    const account = await findAccount(database.pool, id);
    if (account === null) throw absent('the account is gone');
    return account;
  }

  return {
    sessions,
    cookies: cookieNames(config.PUBLIC_URL),
    composers: createVerificationLetters(parts),
    ...createRegistration(parts),
    ...createSweeper(dependencies),
    signIn: createSignIn({ ...parts, sessions }),
    async challenge(request) {
      await dependencies.limitForm('challenge', { address: request.address });
      return parts.captcha.challenge();
    },
    async refresh(refreshToken, request) {
      const session: OpenSession = await sessions.refresh(refreshToken, request);
      return { session, account: await getAccount(session.account_id) };
    },
    profile: (caller) => getAccount(caller.account_id),
    async project(connection, id) {
      const state = await findAccountState(connection, id);
      return state === null ? [] : accountTuples(state);
    },
  };
}
