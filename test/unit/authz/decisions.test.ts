import { expect, test } from 'vitest';
import { createDecisions } from '../../../src/authz/decisions/decisions.ts';
import type { Engine } from '../../../src/authz/engine/client.ts';
import type { AgentPrincipal } from '../../../src/caller/principal.ts';
import { unavailable } from '../../../src/platform/errors/refusal.ts';

const callerAt = (nonce: string) =>
  ({
    subject: 'api_key:k',
    context: 'account:a',
    scopes: [{ kind: 'account', id: 'a', revision: 1, applied: 1, nonce, content: 0 }],
  }) as unknown as AgentPrincipal;

/** Returns an engine stub that decides by `state` and records the checked relations. */
function createCountingEngine() {
  const checked: string[] = [];
  const state = { isDown: false, allows: true };
  const engine = {
    modelId: 'm',
    async batchCheck(questions: { relation: string }[]) {
      if (state.isDown) throw unavailable('OpenFGA is unreachable');
      checked.push(...questions.map(({ relation }) => relation));
      return questions.map(() => state.allows);
    },
  } as unknown as Engine;
  return { checked, state, engine };
}

test('a decision is fetched once per revision nonce', async () => {
  const { checked, engine } = createCountingEngine();
  const { check } = createDecisions(engine, true);

  await check(callerAt('s1'), ['can_connect', 'can_use_tools']);
  await check(callerAt('s1'), ['can_use_tools']);
  await check(callerAt('s2'), ['can_use_tools']);

  expect(checked).toEqual(['can_connect', 'can_use_tools', 'can_use_tools']);
});

test('a decision cached under an old nonce is not used under a new one', async () => {
  const { state, engine } = createCountingEngine();
  const { check } = createDecisions(engine, true);
  await check(callerAt('s1'), ['can_connect']);
  state.allows = false;

  const now = await check(callerAt('s2'), ['can_connect']);

  expect(now.get('can_connect')).toBe(false);
});

test('concurrent requests share one check', async () => {
  const { checked, engine } = createCountingEngine();
  const { check } = createDecisions(engine, true);

  await Promise.all(Array.from({ length: 20 }, () => check(callerAt('s1'), ['can_connect'])));

  expect(checked).toEqual(['can_connect']);
});

test('a failure is not cached as a result', async () => {
  const { state, engine } = createCountingEngine();
  const { check } = createDecisions(engine, true);
  state.isDown = true;
  await expect(check(callerAt('s1'), ['can_connect'])).rejects.toMatchObject({
    kind: 'unavailable',
  });
  state.isDown = false;

  const later = await check(callerAt('s1'), ['can_connect']);

  expect(later.get('can_connect')).toBe(true);
});

test('after clear(), cached and pending decisions are checked again', async () => {
  const { state, engine } = createCountingEngine();
  const { check, clear } = createDecisions(engine, true);
  await check(callerAt('s1'), ['can_see']);
  const pending = check(callerAt('s1'), ['can_connect']);
  clear();
  state.allows = false;

  const later = await check(callerAt('s1'), ['can_see', 'can_connect']);

  expect((await pending).get('can_connect')).toBe(true);
  expect([...later.values()]).toEqual([false, false]);
});

test('without the cache every check goes to the engine', async () => {
  const { checked, engine } = createCountingEngine();
  const { check } = createDecisions(engine, false);

  await check(callerAt('s1'), ['can_connect']);
  await check(callerAt('s1'), ['can_connect']);

  expect(checked).toHaveLength(2);
});

test('the cache is bounded and evicts the oldest entry first', async () => {
  const { checked, engine } = createCountingEngine();
  const { check } = createDecisions(engine, true, 10);
  const callers = Array.from({ length: 25 }, (_, index) => callerAt(`s${index}`));

  for (const caller of callers) await check(caller, ['can_see']);
  await check(callers[24]!, ['can_see']);
  const afterHit = checked.length;
  await check(callers[0]!, ['can_see']);

  expect([afterHit, checked.length]).toEqual([25, 26]);
});

test('checks on several objects are sent as one batch, and each result is cached under its object', async () => {
  const batches: string[][] = [];
  const engine = {
    modelId: 'm',
    async batchCheck(questions: { object: string; relation: string }[]) {
      batches.push(questions.map(({ object, relation }) => `${object}#${relation}`));
      return questions.map(({ object }) => object !== 'team_seat:t2.a');
    },
  } as unknown as Engine;
  const { check, checkEach } = createDecisions(engine, true);
  const caller = callerAt('s1');
  const checks = ['team_seat:t1.a', 'team_seat:t2.a', 'account:a', 'team_seat:t1.a'].map(
    (object) => ({ object, relation: 'active' }),
  );

  const answers = await checkEach(caller, checks);
  const again = await checkEach(caller, checks);
  const alone = await check(caller, ['active'], 'team_seat:t2.a');
  const own = await check(caller, ['active']);

  expect(answers).toEqual([true, false, true, true]);
  expect(again).toEqual(answers);
  expect([alone.get('active'), own.get('active')]).toEqual([false, true]);
  expect(batches).toEqual([['team_seat:t1.a#active', 'team_seat:t2.a#active', 'account:a#active']]);
});
