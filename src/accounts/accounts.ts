import type { RequireReauthentication } from '../caller/reauthentication.ts';
import type { RequestFacts } from '../caller/route.ts';
import type { Composer } from '../mail/mail.ts';
import { createAccountEmails } from './account-emails.ts';
import { createActivation } from './activation/activation.ts';
import type { Activate } from './activation/activation.ts';
import { createSetPlan } from './activation/plan.ts';
import type { SetPlan } from './activation/plan.ts';
import { createCaptcha } from './captcha/create-captcha.ts';
import type { CaptchaChallenge } from './captcha/schema.ts';
import { readDatabaseTime } from './captcha/store.ts';
import type { AccountsDependencies, AccountsParts } from './dependencies.ts';
import { createPasswordChange } from './passwords/password-change.ts';
import { createResetEmail } from './passwords/reset-email.ts';
import { createPasswordReset } from './passwords/password-reset.ts';
import { createDeletion } from './deletion/deletion.ts';
import { createEmailChange } from './email-change/email-change.ts';
import { createExport } from './export/export.ts';
import { createChangeEmails } from './email-change/change-emails.ts';
import { createPasswords } from './passwords/passwords.ts';
import { createReauthentication } from './passwords/reauthentication.ts';
import { createManagedAccounts } from './managed/managed.ts';
import type { ManagedAccounts } from './managed/managed.ts';
import { createOperatorAccess } from './operator/operator.ts';
import type { OperatorAccess } from './operator/operator.ts';
import { createProfile } from './profile/profile.ts';
import { createRegistration } from './registration/registration.ts';
import { createVerificationEmails } from './registration/verification-emails.ts';
import { createIdentities } from './identities/identities.ts';
import type { Identities } from './identities/identities.ts';
import { configuredProviders } from './providers/configured.ts';
import { createProviders } from './providers/providers.ts';
import type { Providers } from './providers/providers.ts';
import { createFactors } from './second-factor/factors.ts';
import type { Factors } from './second-factor/factors.ts';
import { cookieNames } from './sessions/cookies.ts';
import type { CookieNames } from './sessions/cookies.ts';
import { createServiceInfo } from './service/service.ts';
import type { ServiceInfo } from './service/schema.ts';
import { endAllSessions } from './sessions/end-sessions.ts';
import { createSessionManagement } from './sessions/management.ts';
import type { SessionManagement } from './sessions/management.ts';
import { createSessions } from './sessions/sessions.ts';
import type { Sessions } from './sessions/sessions.ts';
import { createFindSignedIn } from './sessions/signed-in.ts';
import type { FindSignedIn } from './sessions/signed-in.ts';
import { createCompleteSignIn } from './sign-in/complete-sign-in.ts';
import type { SignInResult, SignInSuccess } from './sign-in/complete-sign-in.ts';
import type { SignIn } from './sign-in/schema.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createSweeper } from './sweeper.ts';

export type { AccountsDependencies };
export type { CookieNames };
export type { ManagedAccounts } from './managed/managed.ts';
export { forgetRevokedCredentials } from './ended-credentials/store.ts';
export { isManagedThrough } from './managed/managed.ts';

export interface Accounts {
  sessions: Sessions;
  sessionManagement: SessionManagement;
  cookies: CookieNames;
  findSignedIn: FindSignedIn;
  serviceInfo(): Promise<ServiceInfo>;
  challenge(request: RequestFacts): Promise<CaptchaChallenge>;
  registration: ReturnType<typeof createRegistration>;
  signIn(body: SignIn, request: RequestFacts): Promise<SignInResult>;
  factors: Factors;
  refresh(refreshToken: string | undefined, request: RequestFacts): Promise<SignInSuccess>;
  passwordReset: ReturnType<typeof createPasswordReset>;
  changePassword: ReturnType<typeof createPasswordChange>;
  requireReauthentication: RequireReauthentication;
  deleteAccount: ReturnType<typeof createDeletion>;
  exportAccount: ReturnType<typeof createExport>;
  emailChange: ReturnType<typeof createEmailChange>;
  profile: ReturnType<typeof createProfile>;
  providers: Providers;
  identities: Identities;
  /** Accounts that organizations create for their members. */
  managed: ManagedAccounts;
  /** Creates and deletes accounts, and acts as their people, for the operator. */
  operator: OperatorAccess;
  activate: Activate;
  setPlan: SetPlan;
  endAllSessions: typeof endAllSessions;
  /** E-mail composers of this module by job kind, for `mail.start`. */
  composers: Readonly<Record<string, Composer>>;
  start(): void;
  stop(): void;
}

export function createAccounts(dependencies: AccountsDependencies): Accounts {
  const { database, audit, config } = dependencies;
  const parts: AccountsParts = {
    ...dependencies,
    captcha: dependencies.captcha ?? createCaptcha(dependencies),
    passwords: dependencies.passwords ?? createPasswords(),
  };
  const sessions = createSessions({ ...dependencies, publicUrl: config.PUBLIC_URL });
  const completeSignIn = createCompleteSignIn({ ...parts, sessions });
  const profile = createProfile(parts);
  const requireReauthentication = createReauthentication(parts);
  const configured = configuredProviders(config, dependencies.outbound);
  const providerName = (id: string) =>
    id === 'sso' ? 'SSO' : (configured.find((provider) => provider.id === id)?.name ?? id);
  const identities = createIdentities({ ...parts, completeSignIn, providerName });
  const providers = createProviders({ ...parts, providers: configured, identities });
  const factors = createFactors({ ...parts, completeSignIn });
  const cookies = cookieNames(config.PUBLIC_URL);
  const registration = createRegistration(parts);
  const deleteAccount = createDeletion(parts);

  return {
    sessions,
    sessionManagement: createSessionManagement({ database, audit }),
    activate: createActivation(parts),
    setPlan: createSetPlan(parts),
    endAllSessions,
    cookies,
    findSignedIn: createFindSignedIn(sessions, cookies),
    composers: {
      ...createVerificationEmails(parts),
      ...createResetEmail(parts),
      ...createChangeEmails(parts),
      ...createAccountEmails(parts),
      ...identities.composers,
    },
    requireReauthentication,
    deleteAccount,
    exportAccount: createExport(parts),
    emailChange: createEmailChange({ ...parts, requireReauthentication }),
    providers,
    identities,
    managed: createManagedAccounts(parts),
    registration,
    operator: createOperatorAccess({
      ...parts,
      completeSignIn,
      sessions,
      registration,
      deleteAccount,
    }),
    ...createSweeper(dependencies),
    passwordReset: createPasswordReset(parts),
    changePassword: createPasswordChange({ ...parts, requireReauthentication }),
    signIn: createSignIn({ ...parts, completeSignIn }),
    factors,
    serviceInfo: createServiceInfo({ database, config, providers: configured }),
    async challenge(request) {
      await dependencies.limitForm('challenge', { address: request.address });
      return parts.captcha.challenge(await readDatabaseTime(database.pool));
    },
    async refresh(refreshToken, request) {
      const session = await sessions.refresh(refreshToken, request);
      return { session, account: await profile.read({ person: session.account_id }) };
    },
    profile,
  };
}
