import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { capturing } from '../../../src/authz/authz.ts';
import type { SessionPrincipal } from '../../../src/caller/principal.ts';
import { unavailable } from '../../../src/platform/errors/refusal.ts';
import { createPreviews } from '../../../src/previews/previews.ts';
import type { PreviewsDependencies } from '../../../src/previews/previews.ts';

const caller = { person: 'ada' } as SessionPrincipal;
const ids = ['first', 'second', 'third'];
const rows = ids.map((id) => ({
  ...{ kind: 'api_key', id, name: id, account_id: 'ada', lists: true, total: ids.length },
}));

/** Previews of credentials, of which only the first has policies that are evaluated quickly. */
function createSlowPreviews(comparingMs: number) {
  const states = new Map(ids.map((id) => [id, { view: { id }, relations: new Set() }]));
  const dependencies = {
    database: { pool: { any: async () => rows } },
    visibility: {
      async precomputed(_key: string, view: { id: string }, timeoutMs: number) {
        if (view.id === 'first') return;
        await setTimeout(timeoutMs);
        throw unavailable('a long policy was not evaluated in time');
      },
      allItems: () => [],
    },
    knownTo: async () => () => true,
    statesAround: async () => ({ before: states, after: states }),
    admitPreview: (_id: string, preview: () => Promise<unknown>) => preview(),
  } as unknown as PreviewsDependencies;
  return createPreviews(dependencies, { comparingMs });
}

test('a preview ends in time, and shows by `examined` what it did not compare', async () => {
  const previews = createSlowPreviews(200);
  const change = () => capturing.edit({ work: async () => {} });

  const preview = await previews.of(caller, 'personal', change);

  expect(preview).toMatchObject({ gained: [], lost: [], examined: 1, total: 3 });
});
