import type { Audit } from '../../audit/audit.ts';
import { personActor } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { createBatchedRead } from '../../platform/concurrency/grouped.ts';
import { newId } from '../../platform/ids.ts';
import { invalidCredential } from '../../platform/errors/refusal.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { OrganizationRules } from '../dependencies.ts';
import {
  endReplayed,
  endSession,
  endSurplus,
  findJustRotated,
  insertSession,
  queryKey,
  readSessions,
  rotate,
} from './store.ts';
import type { IssuedSession, LiveSession } from './store.ts';
import { createAccessTokens, createRefreshTokens } from './tokens.ts';
import type { AccessClaims } from './tokens.ts';

/** A session with the tokens that its browser receives. */
export interface OpenSession {
  session_id: string;
  account_id: string;
  access_token: string;
  refresh_token: string;
  refresh_seconds: number;
}

export interface VerifiedSignIn {
  account_id: string;
  /** The account's counter when the proof was verified; see `invalidateProofs`. */
  sessions_ended: number;
  amr: readonly string[];
  /** The connection of single sign-on that it was made through, if any. */
  sso_connection_id?: string;
  /** When the third party or passkey was added to the account that the person signed in with. */
  method_since?: string | null;
  request: RequestFacts;
}

export interface Sessions {
  /**
   * Resolves an access token to its caller, with the person's membership in the organization, if
   * any. Throws 401, or 503 if the token cannot be checked.
   */
  authenticate(accessToken: string, organizationId: string | null): Promise<SessionPrincipal>;
  /** Resolves a session again, whether or not its access token has expired. Throws 401. */
  reread(session: SessionPrincipal, organizationId: string | null): Promise<SessionPrincipal>;
  /** Opens a session in the sign-in's transaction; null if sessions have ended since the proof. */
  open(transaction: Transaction, signIn: VerifiedSignIn): Promise<OpenSession | null>;
  /** Returns the next tokens for a refresh token; a replayed one ends its session. Throws 401. */
  refresh(refreshToken: string | undefined, request: RequestFacts): Promise<OpenSession>;
  /** Signs the caller out. */
  end(caller: SessionPrincipal, request: RequestFacts): Promise<void>;
}

export interface SessionsDependencies {
  database: Database;
  audit: Audit;
  secrets: Secrets;
  organizations: Pick<OrganizationRules, 'requiresSso' | 'allowsSsoSession'>;
  publicUrl: string;
}

export function createSessions(dependencies: SessionsDependencies): Sessions {
  const { database, audit, secrets } = dependencies;
  const access = createAccessTokens(secrets.subkeys('session-jwt'), dependencies.publicUrl);
  const refreshTokens = createRefreshTokens(secrets.subkeys('session-refresh'));
  async function issue(session: IssuedSession): Promise<OpenSession> {
    return {
      session_id: session.id,
      account_id: session.account_id,
      access_token: await access.sign(session, session.issued_at),
      refresh_token: refreshTokens.write({ session_id: session.id, rotation: session.rotation }),
      refresh_seconds: session.remaining_seconds,
    };
  }

  const isAllowed = createSsoCheck(dependencies);

  async function refresh(
    refreshToken: string | undefined,
    request: RequestFacts,
  ): Promise<OpenSession> {
    const token = refreshTokens.read(refreshToken);
    if (token === null) throw invalidCredential();
    const issued = await database.transaction(async (transaction) => {
      const rotated =
        (await rotate(transaction, token)) ?? (await findJustRotated(transaction, token));
      if (rotated) return (await isAllowed(transaction, rotated, request)) ? rotated : null;
      const ended = await endReplayed(transaction, token);
      if (ended) await recordEnd(audit, transaction, 'session.replay', { ...ended, request });
      return null;
    });
    if (issued === null) throw invalidCredential();
    return issue(issued);
  }

  return {
    ...createResolve(database, access),
    async open(transaction, signIn) {
      const { account_id, sessions_ended, amr, request } = signIn;
      const issued = await insertSession(transaction, {
        id: newId(),
        account_id,
        sessions_ended,
        amr,
        sso_connection_id: signIn.sso_connection_id ?? null,
        method_since: signIn.method_since ?? null,
        ip: request.address,
        user_agent: request.user_agent,
      });
      if (issued === null) return null;
      for (const ended of await endSurplus(transaction, issued))
        await recordEnd(audit, transaction, 'session.end', { ...ended, request });
      return issue(issued);
    },
    refresh,
    async end({ credential: { id }, person: account_id }, request) {
      await database.transaction(async (transaction) => {
        if (!(await endSession(transaction, { id, account_id }))) return;
        await recordEnd(audit, transaction, 'session.end', { id, account_id, request });
      });
    },
  };
}

/** Resolves sessions to their callers. */
function createResolve(
  { authPool }: Pick<Database, 'authPool'>,
  access: ReturnType<typeof createAccessTokens>,
): Pick<Sessions, 'authenticate' | 'reread'> {
  const readSession = createBatchedRead({ read: (keys) => readSessions(authPool, keys) });
  return {
    async authenticate(accessToken, organization_id) {
      const claims = await access.read(accessToken);
      const session =
        claims && (await readSession(queryKey({ session_id: claims.session_id, organization_id })));
      if (!session || !belongsTo(claims, session)) throw invalidCredential();
      return session.principal;
    },
    async reread({ credential }, organization_id) {
      const session = await readSession(queryKey({ session_id: credential.id, organization_id }));
      if (!session) throw invalidCredential();
      return session.principal;
    },
  };
}

/**
 * Creates a check that ends a session, and returns false, if its person could not sign in any more
 * in the same way: an organization has started to require SSO of them, or the connection that the
 * session was opened through may not sign in to the account any more, or is not linked to it.
 */
const createSsoCheck =
  ({ audit, organizations }: Pick<SessionsDependencies, 'audit' | 'organizations'>) =>
  async (
    transaction: Transaction,
    { id, account_id, sso_connection_id }: IssuedSession,
    request: RequestFacts,
  ): Promise<boolean> => {
    const isAllowed =
      sso_connection_id === null
        ? !(await organizations.requiresSso(transaction, account_id))
        : await organizations.allowsSsoSession(transaction, { id, account_id, sso_connection_id });
    if (isAllowed) return true;
    await endSession(transaction, { id, account_id });
    await recordEnd(audit, transaction, 'session.end', { id, account_id, request });
    return false;
  };

/** Returns whether a token belongs to this session and has not expired by database time. */
const belongsTo = ({ account_id, expires }: AccessClaims, { principal, now }: LiveSession) =>
  account_id === principal.person && expires > now;

function recordEnd(
  audit: Audit,
  transaction: Transaction,
  action: 'session.end' | 'session.replay',
  session: { id: string; account_id: string; request: RequestFacts },
): Promise<void> {
  const { id, account_id, request } = session;
  return audit.record(transaction, {
    actor: personActor(account_id, request, id),
    action,
    scope: { kind: 'account', id: account_id },
    units: [{ type: 'session', id }],
  });
}
