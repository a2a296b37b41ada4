import type { Api } from './api.ts';

// Deliberately short (S8): tools every agent can try right away.
const STARTER_TOOLS = ['calculator', 'convert_units', 'current_time', 'date_arithmetic'];

interface Tool {
  id: string;
  name: string;
}

/** Returns the built-in tools that a quick start selects. */
export async function starterTools(api: Api): Promise<Tool[]> {
  const { data } = await api<{ data: Tool[] }>('GET', '/api/catalog/tools?limit=200');
  return data.filter(({ name }) => STARTER_TOOLS.includes(name));
}
