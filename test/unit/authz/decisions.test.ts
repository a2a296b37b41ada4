import { expect, test } from 'vitest';
import { createDecisions } from '../../../src/authz/decisions.ts';
import type { Engine } from '../../../src/authz/client.ts';
import type { AgentPrincipal } from '../../../src/caller/principal.ts';
import { unavailable } from '../../../src/platform/errors/refusal.ts';

const callerAt = (nonce: string) =>
  ({
    subject: 'api_key:k',
    context: 'account:a',
    scopes: [{ kind: 'account', id: 'a', revision: 1, applied: 1, nonce, content: 0 }],
  }) as unknown as AgentPrincipal;

/** Engine stub that answers according to `state` and records the checked relations. */
function countingEngine() {
  const checked: string[] = [];
  const state = { isDown: false, allows: true };
  const engine = {
    modelId: 'm',
    async ask(questions: { relation: string }[]) {
      if (state.isDown) throw unavailable('OpenFGA is unreachable');
      checked.push(...questions.map(({ relation }) => relation));
      return questions.map(() => state.allows);
    },
  } as unknown as Engine;
  return { checked, state, engine };
}

test('a decision is fetched once per revision nonce', async () => {
  const { checked, engine } = countingEngine();
  const { answer } = createDecisions(engine, true);

  await answer(callerAt('s1'), ['can_connect', 'can_use_tools']);
  await answer(callerAt('s1'), ['can_use_tools']);
  await answer(callerAt('s2'), ['can_use_tools']);

  expect(checked).toEqual(['can_connect', 'can_use_tools', 'can_use_tools']);
});

test('a decision cached under an old nonce is not used under a new one', async () => {
  const { state, engine } = countingEngine();
  const { answer } = createDecisions(engine, true);
  await answer(callerAt('s1'), ['can_connect']);
  state.allows = false;

  const now = await answer(callerAt('s2'), ['can_connect']);

  expect(now.get('can_connect')).toBe(false);
});

test('concurrent requests share one check', async () => {
  const { checked, engine } = countingEngine();
  const { answer } = createDecisions(engine, true);

  await Promise.all(Array.from({ length: 20 }, () => answer(callerAt('s1'), ['can_connect'])));

  expect(checked).toEqual(['can_connect']);
});

test('a failure is not cached as an answer', async () => {
  const { state, engine } = countingEngine();
  const { answer } = createDecisions(engine, true);
  state.isDown = true;
  await expect(answer(callerAt('s1'), ['can_connect'])).rejects.toMatchObject({
    kind: 'unavailable',
  });
  state.isDown = false;

  const later = await answer(callerAt('s1'), ['can_connect']);

  expect(later.get('can_connect')).toBe(true);
});

test('after forget(), cached and pending decisions are checked again', async () => {
  const { state, engine } = countingEngine();
  const { answer, forget } = createDecisions(engine, true);
  await answer(callerAt('s1'), ['can_see']);
  const underWay = answer(callerAt('s1'), ['can_connect']);
  forget();
  state.allows = false;

  const later = await answer(callerAt('s1'), ['can_see', 'can_connect']);

  expect((await underWay).get('can_connect')).toBe(true);
  expect([...later.values()]).toEqual([false, false]);
});

test('without the cache every check goes to the engine', async () => {
  const { checked, engine } = countingEngine();
  const { answer } = createDecisions(engine, false);

  await answer(callerAt('s1'), ['can_connect']);
  await answer(callerAt('s1'), ['can_connect']);

  expect(checked).toHaveLength(2);
});

test('the cache is bounded and evicts the oldest entry first', async () => {
  const { checked, engine } = countingEngine();
  const { answer } = createDecisions(engine, true, 10);
  const callers = Array.from({ length: 25 }, (_, index) => callerAt(`s${index}`));

  for (const caller of callers) await answer(caller, ['can_see']);
  await answer(callers[24]!, ['can_see']);
  const afterHit = checked.length;
  await answer(callers[0]!, ['can_see']);

  expect([afterHit, checked.length]).toEqual([25, 26]);
});

test('checks on several objects are one batch, each cached under its own object', async () => {
  const batches: string[][] = [];
  const engine = {
    modelId: 'm',
    async ask(questions: { object: string; relation: string }[]) {
      batches.push(questions.map(({ object, relation }) => `${object}#${relation}`));
      return questions.map(({ object }) => object !== 'team_seat:t2.a');
    },
  } as unknown as Engine;
  const { answer, answerEach } = createDecisions(engine, true);
  const caller = callerAt('s1');
  const checks = ['team_seat:t1.a', 'team_seat:t2.a', 'account:a', 'team_seat:t1.a'].map(
    (object) => ({ object, relation: 'active' }),
  );

  const answers = await answerEach(caller, checks);
  const again = await answerEach(caller, checks);
  const alone = await answer(caller, ['active'], 'team_seat:t2.a');
  const own = await answer(caller, ['active']);

  expect(answers).toEqual([true, false, true, true]);
  expect(again).toEqual(answers);
  expect([alone.get('active'), own.get('active')]).toEqual([false, true]);
  expect(batches).toEqual([['team_seat:t1.a#active', 'team_seat:t2.a#active', 'account:a#active']]);
});
