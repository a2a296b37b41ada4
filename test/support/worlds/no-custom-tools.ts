import type { RunnableTool } from '../../../src/catalog/tool.ts';

/** For a world whose accounts have no custom tools. */
export const noCustomTools = (): RunnableTool => {
  throw new Error('Nobody has a custom tool here.');
};
