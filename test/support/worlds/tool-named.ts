import type { Catalog } from '../../../src/catalog/catalog.ts';
import type { BuiltInTool } from '../../../src/catalog/tool.ts';

export function toolNamed(catalog: Pick<Catalog, 'tools'>, name: string): BuiltInTool {
  const tool = catalog.tools().find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}
