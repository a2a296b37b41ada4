import { expect, test } from 'vitest';
import { createDecisionCache } from '../../../src/authz/cache.ts';
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

/** An engine that answers yes, counts its questions, and fails when told. */
function counting() {
  const asked: string[] = [];
  const state = { isAway: false, allows: true };
  const engine = {
    modelId: 'm',
    async ask(questions: { relation: string }[]) {
      if (state.isAway) throw unavailable('away');
      asked.push(...questions.map(({ relation }) => relation));
      return questions.map(() => state.allows);
    },
  } as unknown as Engine;
  return { asked, state, engine };
}

test('an answer is asked for once under its nonces, and again under others', async () => {
  const { asked, engine } = counting();
  const { answer } = createDecisions(engine, true);

  await answer(callerAt('s1'), ['can_connect', 'can_use_tools']);
  await answer(callerAt('s1'), ['can_use_tools']);
  await answer(callerAt('s2'), ['can_use_tools']);

  expect(asked).toEqual(['can_connect', 'can_use_tools', 'can_use_tools']);
});

test('what was true under an old nonce says nothing under a new one', async () => {
  const { state, engine } = counting();
  const { answer } = createDecisions(engine, true);
  await answer(callerAt('s1'), ['can_connect']);
  state.allows = false;

  const now = await answer(callerAt('s2'), ['can_connect']);

  expect(now.get('can_connect')).toBe(false);
});

test('requests that wait together ask once', async () => {
  const { asked, engine } = counting();
  const { answer } = createDecisions(engine, true);

  await Promise.all(Array.from({ length: 20 }, () => answer(callerAt('s1'), ['can_connect'])));

  expect(asked).toEqual(['can_connect']);
});

test('a failure is not kept: it is neither a yes nor a no later', async () => {
  const { state, engine } = counting();
  const { answer } = createDecisions(engine, true);
  state.isAway = true;
  await expect(answer(callerAt('s1'), ['can_connect'])).rejects.toMatchObject({
    kind: 'unavailable',
  });
  state.isAway = false;

  const later = await answer(callerAt('s1'), ['can_connect']);

  expect(later.get('can_connect')).toBe(true);
});

test('what is known or under way when the store turns out to be wrong is asked again', async () => {
  const { state, engine } = counting();
  const { answer, forget } = createDecisions(engine, true);
  await answer(callerAt('s1'), ['can_see']);
  const underWay = answer(callerAt('s1'), ['can_connect']);
  forget();
  state.allows = false;

  const later = await answer(callerAt('s1'), ['can_see', 'can_connect']);

  expect((await underWay).get('can_connect')).toBe(true);
  expect([...later.values()]).toEqual([false, false]);
});

test('without the cache every question is asked', async () => {
  const { asked, engine } = counting();
  const { answer } = createDecisions(engine, false);

  await answer(callerAt('s1'), ['can_connect']);
  await answer(callerAt('s1'), ['can_connect']);

  expect(asked).toHaveLength(2);
});

test('the cache is bounded, and forgets the oldest first', () => {
  const cache = createDecisionCache(10);
  cache.knownUnder('first').set('r', true);

  for (let index = 0; index < 25; index += 1) cache.knownUnder(`k${index}`).set('r', true);

  expect(cache.knownUnder('first').has('r')).toBe(false);
  expect(cache.knownUnder('k24').has('r')).toBe(true);
});

test('checks on several objects are one batch, each kept under its own object', async () => {
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
