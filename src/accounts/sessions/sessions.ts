import type { Audit, AuditActor } from '../../audit/audit.ts';
import type { SessionCaller } from '../../caller/caller.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Database, Transaction } from '../../platform/database.ts';
import { newId } from '../../platform/ids.ts';
import { unauthenticated } from '../../platform/refusal.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { Secrets } from '../../platform/secrets.ts';
import {
  endReplayed,
  endSession,
  findCaller,
  findJustRotated,
  insertSession,
  rotate,
} from './store.ts';
import type { Issued } from './store.ts';
import { createAccessTokens, readRefreshToken, successorOf, writeRefreshToken } from './tokens.ts';

/** What a browser gets of a session. */
export interface OpenSession {
  session_id: string;
  account_id: string;
  access_token: string;
  refresh_token: string;
  refresh_seconds: number;
}

export interface Sessions {
  /** Whom an access token stands for; throws 401, or 503 when it cannot know. */
  authenticate(accessToken: string): Promise<SessionCaller>;
  /** In the transaction of the sign-in. */
  open(
    transaction: Transaction,
    session: { account_id: string; amr: readonly string[]; request: RequestFacts },
  ): Promise<OpenSession>;
  /** The next tokens for a refresh token; a replayed one ends its session. Throws 401. */
  refresh(refreshToken: string | undefined, request: RequestFacts): Promise<OpenSession>;
  /** Signs out. */
  end(caller: SessionCaller, request: RequestFacts): Promise<void>;
}

export interface SessionsDependencies {
  database: Database;
  audit: Audit;
  secrets: Secrets;
  publicUrl: string;
}

export function createSessions(dependencies: SessionsDependencies): Sessions {
  const { database, audit, secrets } = dependencies;
  const access = createAccessTokens(secrets.subkey('session-jwt'), dependencies.publicUrl);
  const refreshKey = secrets.subkey('session-refresh');

  async function issue(issued: Issued, secret: string): Promise<OpenSession> {
    return {
      session_id: issued.id,
      account_id: issued.account_id,
      access_token: await access.sign(issued, issued.issued),
      refresh_token: writeRefreshToken({ session_id: issued.id, secret }),
      refresh_seconds: issued.remaining,
    };
  }

  return {
    async authenticate(accessToken) {
      const claims = await access.read(accessToken);
      const caller = claims && (await findCaller(database, claims));
      if (!caller) throw invalidSession();
      return caller;
    },
    async open(transaction, { account_id, amr, request }) {
      const secret = newToken();
      const issued = await insertSession(transaction, {
        id: newId(),
        account_id,
        refresh_hash: hashSecret(secret),
        amr,
        ip: request.address,
        user_agent: request.user_agent,
      });
      return issue(issued, secret);
    },
    async refresh(refreshToken, request) {
      const token = readRefreshToken(refreshToken);
      if (token === null) throw invalidSession();
      const next = successorOf(refreshKey, token.secret);
      const rotation = {
        session_id: token.session_id,
        from: hashSecret(token.secret),
        to: hashSecret(next),
      };
      const issued = await database.transaction(async (transaction) => {
        const moved =
          (await rotate(transaction, rotation)) ?? (await findJustRotated(transaction, rotation));
        if (moved) return moved;
        const ended = await endReplayed(transaction, rotation);
        if (ended)
          await audit.record(transaction, {
            actor: actorOf(ended.account_id, request),
            action: 'session.replay',
            scope: { kind: 'account', id: ended.account_id },
            units: [{ type: 'session', id: token.session_id }],
          });
        return null;
      });
      if (issued === null) throw invalidSession();
      return issue(issued, next);
    },
    async end(caller, request) {
      await database.transaction(async (transaction) => {
        const { session_id: id, account_id } = caller;
        if (!(await endSession(transaction, { id, account_id }))) return;
        await audit.record(transaction, {
          actor: actorOf(account_id, request),
          action: 'session.end',
          scope: { kind: 'account', id: account_id },
          units: [{ type: 'session', id }],
        });
      });
    },
  };
}

const actorOf = (id: string, request: RequestFacts): AuditActor => ({
  kind: 'user',
  id,
  request_id: request.id,
  address: request.address,
});

// The same words for every credential that is none.
const invalidSession = () => unauthenticated('invalid_credential', 'The credential is not valid.');
