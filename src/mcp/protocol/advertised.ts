/** Server capabilities, the same for every client and protocol version (mcp.md 3). */
export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
} as const;

export interface ServerInfo {
  name: string;
  title: string;
  version: string;
  websiteUrl: string;
}

export const serverInfoOf = (version: string, publicUrl: string): ServerInfo => ({
  name: 'toolgate',
  title: 'Toolgate',
  version,
  websiteUrl: publicUrl,
});

export const instructions = [
  'Call the tool `bootstrap` once at the start of each task, before any other tool:',
  'with `primary_agent: true` if you talk to the user,',
  'or with `primary_agent: false` and the `agent_selection` your parent chose if you are a subagent.',
  'It returns the context for the task. Call `setup` only when the user asks to set up, install,',
  'repair or update this connection. The lists show the tools, prompts and resources this credential may',
  'use; they change when its owner changes the selection.',
].join(' ');
