import type { RunnableTool } from '../../../src/catalog/tool.ts';

/** Throws; for tests whose accounts have no custom tools. */
export const noCustomTools = (): RunnableTool => {
  throw new Error('This test has no custom tools.');
};
