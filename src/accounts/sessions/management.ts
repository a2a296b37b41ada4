import type { Audit } from '../../audit/audit.ts';
import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { toPage } from '../../platform/http/pages.ts';
import type { Page, PageQuery } from '../../platform/http/pages.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { dropChanges, dropChangesOf } from '../email-change/store.ts';
import { endSessionsExcept } from './end-sessions.ts';
import type { SessionRecord } from './schema.ts';
import { endSession, listSessions } from './store.ts';

/** Lists and ends a person's own sessions. */
export function createSessionManagement({ database, audit }: { database: Database; audit: Audit }) {
  return {
    async list(caller: SessionPrincipal, page: PageQuery): Promise<Page<SessionRecord>> {
      const rows = await listSessions(database.pool, caller.person, {
        limit: page.limit + 1,
        cursor: page.cursor ?? null,
      });
      const records = rows.map((row) => ({ ...row, current: row.id === caller.credential.id }));
      return toPage(records, page);
    },
    /** Ends one of the caller's sessions; throws 404 for any other. */
    async end(caller: SessionPrincipal, id: string, request: RequestFacts) {
      const { person: account_id } = caller;
      await database.transaction(async (transaction) => {
        if (!(await endSession(transaction, { id, account_id }))) throw absent('no such session');
        // Ending another session deletes the address changes it requested, since they are no longer
        // trusted; signing out does not.
        if (id !== caller.credential.id) await dropChangesOf(transaction, { id, account_id });
        await audit.record(transaction, {
          actor: actorOf(caller, request),
          action: 'session.end',
          scope: { kind: 'account', id: account_id },
          units: [{ type: 'session', id }],
        });
      });
    },
    /** Ends all of the caller's sessions, including the current one. */
    async endAll(caller: SessionPrincipal, request: RequestFacts) {
      const { person: id } = caller;
      await database.transaction(async (transaction) => {
        await endSessionsExcept(transaction, id, null);
        await dropChanges(transaction, id);
        await audit.record(transaction, {
          actor: actorOf(caller, request),
          action: 'session.end_all',
          scope: { kind: 'account', id },
          units: [{ type: 'account', id }],
        });
      });
    },
  };
}
export type SessionManagement = ReturnType<typeof createSessionManagement>;
