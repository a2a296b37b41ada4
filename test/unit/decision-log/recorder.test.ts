import { expect, test } from 'vitest';
import type { Principal } from '../../../src/caller/principal.ts';
import { createRecorder } from '../../../src/decision-log/recorder.ts';
import type { MadeDecision } from '../../../src/decision-log/row.ts';
import type { Queryable } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { NoResponse } from '../../../src/platform/errors/unanswered.ts';

const caller = {
  credential: { kind: 'session', id: 's' },
  person: 'a',
  organization: null,
  quota_owner: { kind: 'account', id: 'a', plan: 'free' },
} as unknown as Principal;
const decision = (request_id: string, isDenied = true): MadeDecision => ({
  ...{ caller, request_id, organization_id: null, action: 'can_see', team_id: null, cached: null },
  denial: isDenied ? { layer: 'absent', reason: 'not_visible' } : null,
});

/** Creates a recorder over a database that answers as `answer` says, and returns what was sent. */
function useRecorder(answer: (ids: string[]) => void, options = {}) {
  const sent: string[][] = [];
  const pool = {
    async any(query: { values: unknown[] }) {
      const rows = JSON.parse(query.values[0] as string) as { request_id: string }[];
      const ids = rows.map(({ request_id }) => request_id);
      sent.push(ids);
      answer(ids);
      return ids;
    },
  } as unknown as Queryable;
  const written: unknown[] = [];
  const recorder = createRecorder({
    ...{ pool, log: createLog('silent'), modelId: 'm', sampling: 1 },
    onWritten: (decisions) => void written.push(...decisions),
    ...options,
  });
  return { recorder, sent, written };
}

test('decisions are sent in one batch, denied ones first, and again after an outage', async () => {
  let isDown = true;
  const { recorder, sent, written } = useRecorder(() => {
    if (isDown) throw new NoResponse('down');
  });
  recorder.record(decision('1', false));
  recorder.record(decision('2'));

  await recorder.flush();
  expect([sent, recorder.waitingRows(), written]).toEqual([[['2', '1']], 2, []]);

  isDown = false;
  await recorder.flush();
  expect([recorder.waitingRows(), written]).toEqual([0, ['2', '1']]);
});

test('a decision that PostgreSQL rejects is dropped, and the others are written', async () => {
  const { recorder, written } = useRecorder((ids) => {
    if (ids.includes('2')) throw new Error('invalid');
  });
  for (const id of ['1', '2', '3']) recorder.record(decision(id));

  await recorder.flush();

  expect([recorder.waitingRows(), written]).toEqual([0, ['1', '3']]);
});

test('every denied decision is recorded, however few allowed ones are', async () => {
  const { recorder, written } = useRecorder(() => {}, { sampling: 1_000_000 });
  for (let made = 0; made < 50; made += 1) {
    recorder.record(decision(`allowed ${made}`, false));
    recorder.record(decision(`denied ${made}`));
  }

  await recorder.flush();

  expect(written).toEqual(Array.from({ length: 50 }, (_, made) => `denied ${made}`));
});
