import { expect, test } from 'vitest';
import type { QuotaOwner } from '../../../src/caller/principal.ts';
import type { Limits, SessionTouch } from '../../../src/limits/limits.ts';
import { newId } from '../../../src/platform/ids.ts';
import { FACTS, useBench } from './bench.ts';
import type { Bench } from './bench.ts';

async function useSession() {
  const bench = await useBench({ plan: { day: 2 } });
  const limits = await bench.gateway();
  const owner = bench.owner();
  const touch: SessionTouch = {
    key: `mcp:{account:${owner.id}}:s:one`,
    credential: 'key-of-ada',
    version: null,
    lifetime_seconds: 86_400,
  };
  const stored = bench.redis.prefix + touch.key;
  await bench.redis.commands.hset(stored, { credential: 'key-of-ada', version: '2025-06-18' });
  await bench.redis.commands.expire(stored, 60);
  return { bench, limits, owner, touch, stored };
}

const admit = (limits: Limits, owner: QuotaOwner, session: SessionTouch) =>
  limits.admit({ quota_owner: owner, kind: 'tool_call', call_id: newId(), facts: FACTS, session });

const readUse = async (bench: Bench, limits: Limits, owner: QuotaOwner) => ({
  day: (await limits.usage(owner)).windows[2]?.used,
  ttl: await bench.redis.commands.ttl(`${bench.redis.prefix}mcp:{account:${owner.id}}:s:one`),
});

test('a live session is extended and its call counted in one round trip (B3-21)', async () => {
  const { bench, limits, owner, touch } = await useSession();
  const live = { status: 'live', version: '2025-06-18' };

  const withoutVersion = await admit(limits, owner, touch);
  const withVersion = await admit(limits, owner, { ...touch, version: '2025-06-18' });
  const refused = await admit(limits, owner, touch);

  expect(withoutVersion).toMatchObject({ session: live, admitted: true });
  expect(withVersion).toMatchObject({ session: live, admitted: true });
  expect(refused).toMatchObject({ session: live, admitted: false, window: 'day' });
  const { day, ttl } = await readUse(bench, limits, owner);
  expect(day).toBe(2);
  expect(ttl).toBeGreaterThan(60);
});

test('a call in a session that is not live is not counted and does not extend the session (B3-20, B3-21)', async () => {
  const { bench, limits, owner, touch } = await useSession();
  const gone = { session: { status: 'gone' }, admitted: false, window: null };

  const unknown = await admit(limits, owner, { ...touch, key: `${touch.key}x` });
  const foreign = await admit(limits, owner, { ...touch, credential: 'key-of-dan' });
  const other = await admit(limits, owner, { ...touch, version: '2025-11-25' });

  expect([unknown, foreign]).toEqual([gone, gone]);
  expect(other).toEqual({ ...gone, session: { status: 'version_mismatch' } });
  const { day, ttl } = await readUse(bench, limits, owner);
  expect(day).toBe(0);
  expect(ttl).toBeLessThanOrEqual(60);
});

test('calls in one batch each get the state of their own session', async () => {
  const { bench, limits, owner, touch } = await useSession();
  const secondTouch = { ...touch, key: `mcp:{account:${owner.id}}:s:two` };
  const other = { credential: 'key-of-ada', version: '2025-11-25' };
  await bench.redis.commands.hset(bench.redis.prefix + secondTouch.key, other);
  const foreign = { ...touch, credential: 'key-of-dan' };
  const mismatched = { ...secondTouch, version: '2025-06-18' };
  // One call first, so that the month is seeded and all following calls share one script run.
  await limits.admit({ quota_owner: owner, kind: 'system_call', call_id: newId(), facts: FACTS });

  const answers = await Promise.all(
    [foreign, touch, secondTouch, mismatched, touch].map((session) =>
      limits.admit({
        quota_owner: owner,
        kind: 'content_read',
        call_id: newId(),
        facts: FACTS,
        session,
      }),
    ),
  );

  const live = (version: string) => [{ status: 'live', version }, true];
  expect(answers.map(({ session, admitted }) => [session, admitted])).toEqual([
    [{ status: 'gone' }, false],
    live('2025-06-18'),
    live('2025-11-25'),
    [{ status: 'version_mismatch' }, false],
    live('2025-06-18'),
  ]);
  const ttl = (session: SessionTouch) => bench.redis.commands.ttl(bench.redis.prefix + session.key);
  expect(await ttl(touch)).toBeGreaterThan(60);
  expect(await ttl(secondTouch)).toBeGreaterThan(60);
});
