import { searchLines } from './search-lines.ts';
import type { BuiltInTool } from './tool.ts';
import { tools as builtInTools } from './tools.ts';

/** Computations that worker processes can run: those of the built-in tools, and line search. */
export const tools: readonly Pick<BuiltInTool, 'name' | 'compute'>[] = [
  ...builtInTools,
  searchLines,
];
