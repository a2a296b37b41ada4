import type { Api } from './api.ts';

// Deliberately short (S8): tools every agent can try right away.
const STARTER_TOOLS = ['calculator', 'convert_units', 'current_time', 'date_arithmetic'];

interface Tool {
  id: string;
  name: string;
}

/** Selects these tools in the person's own space, and returns their names. */
export async function selectStarterTools(api: Api): Promise<string[]> {
  const tools = await starterTools(api);
  const settings = { tools: tools.map(({ id }) => id), platform_prompts: [] };
  await api('PUT', '/api/me/mcp-settings', settings);
  return tools.map(({ name }) => name);
}

/** Returns the built-in tools that a quick start selects. */
export async function starterTools(api: Api): Promise<Tool[]> {
  const { data } = await api<{ data: Tool[] }>('GET', '/api/catalog/tools?limit=200');
  return data.filter(({ name }) => STARTER_TOOLS.includes(name));
}
