import { expect, test } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import type { AuditEntry } from '../../../src/audit/store.ts';
import type { Queryable, Database } from '../../../src/platform/postgres/database.ts';

/** Records entries of one change, in a session that is live or not; returns how often it asks. */
async function recordIn(session: 'live' | 'ended', entries: number) {
  const counts = { locks: 0, inserts: 0 };
  const connection = {
    async maybeOneFirst() {
      counts.locks += 1;
      return session === 'live' ? 'session' : null;
    },
    query: async () => void (counts.inserts += 1),
  } as unknown as Queryable;
  const entry: AuditEntry = {
    actor: {
      ...{ kind: 'user', id: 'ada', credential_id: 'session', request_id: 'r' },
      address: '192.0.2.1',
    },
    action: 'team.delete',
    scope: null,
  };
  const audit = createAudit({ pool: connection as unknown as Database['pool'] });
  const recorded = audit.recordChange(
    connection,
    Array.from({ length: entries }, () => entry),
  );
  const error: unknown = await recorded.then(
    () => null,
    (reason: unknown) => reason,
  );
  return { ...counts, error };
}

test('a change of many scopes locks the session that it was made in, and writes its entries, in one statement each', async () => {
  expect(await recordIn('live', 3)).toEqual({ locks: 1, inserts: 1, error: null });
});

test('a change in a session that has ended records nothing', async () => {
  expect(await recordIn('ended', 3)).toMatchObject({
    ...{ locks: 1, inserts: 0 },
    error: { kind: 'unauthenticated' },
  });
});
