/** How an error reaches an MCP client: a response's status, a JSON-RPC error, or a tool result. */
type McpForm = `HTTP ${number}` | 'JSON-RPC error' | 'tool error';

/** The description of an error code, for docs/errors.md and the API reference. */
export interface Meaning {
  /** The requirement that was not met, or what went wrong; then what to do. */
  text: string;
  mcp?: McpForm | readonly McpForm[];
  /** The `scimType` of a SCIM error with status 400 or 409. */
  scim?: string;
}
