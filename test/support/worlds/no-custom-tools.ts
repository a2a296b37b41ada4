import type { RunnableTool } from '../../../src/catalog/tool.ts';

/** Throws: for a world whose accounts have no custom tools. */
export const noCustomTools = (): RunnableTool => {
  throw new Error('Nobody has a custom tool here.');
};
