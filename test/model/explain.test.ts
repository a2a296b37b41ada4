import { expect, inject, test } from 'vitest';
import { createEngine } from '../../src/authz/engine/client.ts';
import { createExplain } from '../../src/authz/decisions/explain.ts';
import { loadModel } from '../../src/authz/engine/model.ts';
import { tupleKey } from '../../src/authz/tuple.ts';
import type { ContextObject } from '../../src/caller/scope.ts';
import { createServerStore } from './server-store.ts';
import { readStoreFile } from './store-file.ts';

const model = await loadModel();
const { world, tests } = await readStoreFile();

test('explain gives the results of store.fga.yaml; its evidence is stored, and missing tuples are not', async () => {
  const store = await createServerStore(model, 'explain');
  await store.write(world);
  const engine = createEngine({
    apiUrl: inject('openfgaApiUrl'),
    apiToken: inject('openfgaApiToken'),
    storeId: store.id,
    modelId: store.modelId,
    // The machine may be busy; this test limits reads, not time.
    deadlineMs: 10_000,
  });
  let reads = 0;
  const lookUp: typeof engine.lookUp = (filter) => ((reads += 1), engine.lookUp(filter));
  const explain = createExplain({ ...engine, lookUp });
  const stored = new Set(world.map(tupleKey));
  const checks = tests.filter(({ tuples }) => tuples.length === 0).flatMap((one) => one.checks);
  const questions = [...new Map(checks.map((check) => [tupleKey(check), check])).values()];
  const groups = [...Map.groupBy(questions, ({ user, object }) => `${user} ${object}`).values()];
  const seen = new Set<string>();
  let maxReads = 0;

  for (const group of groups) {
    const { user: subject, object: context } = group[0]!;
    const relations = group.map(({ relation }) => relation);
    const before = reads;
    const proofs = await explain({ subject, context: context as ContextObject }, relations);
    maxReads = Math.max(maxReads, reads - before);
    for (const { relation, expected } of group) {
      const { holds, tuples } = proofs.get(relation)!;
      const question = `${subject} ${relation} ${context}`;
      expect([question, holds]).toEqual([question, expected]);
      expect(tuples.filter((tuple) => stored.has(tupleKey(tuple)) !== holds)).toEqual([]);
      if (holds) seen.add(context.slice(0, context.indexOf(':')));
    }
  }

  expect(questions.length).toBeGreaterThan(800);
  expect([...seen].toSorted()).toEqual(
    expect.arrayContaining(['account', 'membership', 'service', 'team_seat']),
  );
  expect(maxReads).toBeLessThan(40);
}, 120_000);
