/** How an error reaches an MCP client: a response's status, a JSON-RPC error, or a tool result. */
type McpForm = `HTTP ${number}` | 'JSON-RPC error' | 'tool error';

/** What an error code says, in docs/errors.md and the API reference. */
export interface Meaning {
  /** What must be so and what to do next. */
  text: string;
  mcp?: McpForm | readonly McpForm[];
}
