import { searchLines } from './search-lines.ts';
import type { BuiltInTool } from './tool.ts';
import { tools as builtInTools } from './tools.ts';

/** What a process for computations runs: what built-in tools compute, and what others ask for. */
export const tools: readonly Pick<BuiltInTool, 'name' | 'compute'>[] = [
  ...builtInTools,
  searchLines,
];
