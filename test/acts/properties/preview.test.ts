import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reached } from '../../oracle/reach.ts';
import { anyKey, anyWorld } from '../../support/worlds.ts';
import { createReader } from './reader.ts';
import { brought, createStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { holds, timeFor } from './trials.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage(2);
});
afterAll(() => stage.close());

interface Named {
  id: string;
  name: string;
}
interface Preview {
  visible: Record<'tools' | 'prompts' | 'resources' | 'agents', Named[]>;
  errors: unknown[];
}

const sorted = (texts: readonly string[]) =>
  texts.toSorted((left, right) => (left < right ? -1 : Number(left > right)));
const SYSTEM = new Set(['setup', 'bootstrap', 'agent_context']);

test(
  'the preview of a draft is what the key made of it is shown (decisions 9, P2)',
  async () => {
    const [here, there] = stage.gateways;
    const drafts = fc.array(anyKey(brought), { minLength: 2, maxLength: 4 });
    await holds(
      3,
      fc.asyncProperty(anyWorld(brought), drafts, async (plan, keys) => {
        const accounts = plan.accounts.slice(0, 2);
        await stage.inWorld({ accounts, keys: [] }, async (built) => {
          for (const key of keys) {
            const held = await built.create(here, { ...key, defaultAgent: null });
            const body = { name: 'a draft', ...built.bodyOf(held.oracle) };
            const what = { path: '/api/keys/preview', body };
            const preview = await built.must<Preview>(there, held.oracle.account, 200, what);
            const reader = createReader(held.secret, '2026');
            const asked = { primary_agent: true, request_agent_catalog: true };
            const told = await reader.bootstrap(there, asked);

            expect(preview.errors).toEqual([]);
            for (const family of ['tools', 'prompts', 'resources', 'agents'] as const) {
              const items = reached(built.told, held.oracle, family);
              const names = preview.visible[family].map(({ name }) => name);
              const ids = preview.visible[family].map(({ id }) => id);
              expect(sorted(ids), `ids of ${family}`).toEqual(sorted(items.map(({ id }) => id)));
              const shown =
                family === 'agents'
                  ? typeof told === 'object' && told.catalog.agents
                  : await reader.list(there, family);
              const listed = (shown || []).filter((name) => !SYSTEM.has(name));
              expect(sorted(names), `names of ${family}`).toEqual(listed);
            }
          }
        });
      }),
    );
  },
  timeFor(60_000),
);
