/** The name of a tool with which an agent reads and changes content; the catalog does not mark them. */
const MANAGEMENT =
  /^(?:list|get|create|update|patch|delete|grep)_(?:resource|prompt|agent|custom_tool)s?$/;

export const isManagementTool = ({ name }: { name: string }): boolean => MANAGEMENT.test(name);

/** Returns built-in tools in two groups: management tools come after the others. */
export const inGroups = <Tool extends { name: string }>(tools: readonly Tool[]) => ({
  others: tools.filter((tool) => !isManagementTool(tool)),
  management: tools.filter(isManagementTool),
});
