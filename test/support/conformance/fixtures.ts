import { createCatalog } from '../../../src/catalog/catalog.ts';
import { tools as builtInTools } from '../../../src/catalog/tools.ts';
import type { ServiceOverrides } from '../../../src/service.ts';
import { clientTools } from './client-tools.ts';
import { contentTools } from './content-tools.ts';
import { fixtureCapabilities, withFixtures } from './fixture-methods.ts';
import { fixtureTool, text } from './fixture-tool.ts';
import { inputTools } from './input-tools.ts';

/** A list that one of the suite's tools changes. */
export type Change = 'tools' | 'prompts';

/** Returns the overrides of a gateway that add the suite's fixtures to the product. */
export function fixtureOverrides(change: (list: Change) => Promise<void>): ServiceOverrides {
  return {
    catalog: createCatalog([...builtInTools, ...fixtureTools(change)]),
    mcp: {
      extend: withFixtures,
      capabilities: fixtureCapabilities,
      timings: { maxConnectionMs: 500 },
    },
  };
}

const fixtureTools = (change: (list: Change) => Promise<void>) => [
  ...contentTools,
  ...clientTools,
  ...inputTools,
  ...(['tools', 'prompts'] as const).map((list) =>
    fixtureTool(`test_trigger_${list.slice(0, -1)}_change`, {
      description: `Changes the list of ${list}.`,
      async answer() {
        await change(list);
        return text(`The list of ${list} changed.`);
      },
    }),
  ),
];

export const fixtureToolNames = fixtureTools(async () => {}).map(({ name }) => name);
