import { randomUUID } from 'node:crypto';
import { toolIds } from './agents-reach.ts';

/** An HTTP request without credentials. */
export interface Probe {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** Identifiers to put into a probe: Bob's, or ones that do not exist. */
export interface Names {
  id: string;
  email: string;
  /** Name of an item. */
  name: string;
}

const agentBody = (when: object | null) => ({
  name: 'guide',
  description: 'Guides.',
  instructions: 'Guide.',
  components: [{ name: 'part', content: 'Part.', when }],
});

/** Bodies that can contain an identifier, sent to every endpoint. */
export const bodies: ((names: Names) => Record<string, unknown> | undefined)[] = [
  () => undefined,
  ({ id }) => ({ name: randomUUID(), mcp_capabilities: ['tools'], default_agent_id: id }),
  ({ id }) => ({ name: randomUUID(), mcp_capabilities: ['tools'], org_scope: id }),
  ({ id }) => ({
    name: randomUUID(),
    mcp_capabilities: [],
    grants: [{ scope: { type: 'org', org_id: id }, permissions: [] }],
  }),
  ...['tools', 'custom_tools'].map((list) => ({ id }: Names) => ({
    name: randomUUID(),
    mcp_capabilities: ['tools'],
    tool_policy: { mode: 'whitelist', tools: [toolIds[0]], [list]: [id] },
  })),
  ({ id }) => ({
    name: randomUUID(),
    mcp_capabilities: ['agents'],
    agent_policy: { mode: 'blacklist', agents: [id] },
  }),
  ({ id }) => ({
    name: randomUUID(),
    mcp_capabilities: ['prompts'],
    prompt_policy: { mode: 'whitelist', prompts: [id] },
  }),
  ...['tool', 'prompt', 'agent'].map(
    (kind) =>
      ({ id }: Names) =>
        agentBody({ [kind]: id }),
  ),
  ({ name }) => agentBody({ resource: name }),
  ({ id }) => ({ tools: [id], platform_prompts: [] }),
  ({ id }) => ({ tools: [], platform_prompts: [id] }),
  ({ email }) => ({ email, password: 'the wrong password 42' }),
  ({ email }) => ({ email, locale: 'en' }),
  ({ id }) => ({ token: id }),
];

const message =
  (method: string, params: (names: Names) => Record<string, unknown>) => (names: Names) => {
    const values = params(names);
    const name = values['name'] ?? values['uri'];
    return {
      method: 'POST',
      path: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...values,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
    };
  };
const call = (name: string, args: (names: Names) => object) =>
  message('tools/call', (names) => ({ name, arguments: args(names) }));

/** MCP messages that can contain an identifier. */
export const messages = [
  message('tools/list', () => ({})),
  message('tools/list', ({ id }) => ({ cursor: id })),
  message('tools/call', ({ id }) => ({ name: id, arguments: {} })),
  message('tools/call', ({ name }) => ({ name, arguments: {} })),
  message('resources/list', () => ({})),
  message('resources/read', ({ id }) => ({ uri: `toolgate://${id}` })),
  message('resources/read', ({ name }) => ({ uri: `toolgate://me/${name}` })),
  message('prompts/list', () => ({})),
  message('prompts/get', ({ id }) => ({ name: id })),
  message('prompts/get', ({ name }) => ({ name })),
  call('calculator', ({ id }) => ({ expression: id })),
  call('setup', () => ({ client: 'other' })),
  call('bootstrap', () => ({ primary_agent: true })),
  call('bootstrap', ({ id }) => ({
    primary_agent: false,
    agent_selection: 'named',
    agent_name: id,
  })),
  call('bootstrap', ({ name }) => ({ primary_agent: true, agent_name: name })),
  call('agent_context', ({ id }) => ({ name: id, components: [id] })),
  call('agent_context', ({ name }) => ({ name, components: [] })),
];
