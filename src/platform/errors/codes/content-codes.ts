import type { Meaning } from './meaning.ts';

/** Errors of items, custom tools, upstreams, policies and space files. */
export const contentCodes = {
  authorization_expired: {
    text: 'The session that began an authorization must complete it within ten minutes: connect again.',
  },
  duplicate_item: { text: 'A list must not name an item twice: remove the duplicate.' },
  fixed_field: {
    text: 'The field in `detail.pointer` cannot be changed: leave it out, or create another item.',
    mcp: 'tool error',
  },
  header_not_allowed: {
    text: 'The header is set by the gateway: remove it.',
    mcp: 'tool error',
  },
  issuer_changed: {
    text: 'The authorization server of an upstream must be the approved one: approve `detail.issuer` if you trust it.',
  },
  invalid_header: {
    text: 'Each header needs a valid name and value and may appear only once: correct the one in `detail.pointer`.',
    mcp: 'tool error',
  },
  invalid_input_schema: {
    text: 'The input schema must be a JSON Schema that the gateway supports: fix what the message describes.',
    mcp: 'tool error',
  },
  invalid_template: {
    text: 'Placeholders must have the form `{{name}}` and may appear only in values: correct the template.',
    mcp: 'tool error',
  },
  invalid_url: {
    text: 'The URL must be normalized, with a literal origin and no fragment: correct it.',
    mcp: 'tool error',
  },
  limit_reached: {
    text: 'The limit must not be exceeded: delete something, or upgrade the plan.',
    mcp: ['JSON-RPC error', 'tool error'],
  },
  name_taken: {
    text: 'The name is already in use: choose another one.',
    mcp: 'tool error',
  },
  not_selected: {
    text: 'An organization-wide item must also be selected: add it to the selection.',
  },
  not_of_an_upstream: {
    text: 'Only a tool of an upstream MCP server can be approved: check the id.',
    mcp: 'tool error',
  },
  pin_mismatch: {
    text: 'The approved description must be the upstream’s current one: review it again, then approve.',
    mcp: 'tool error',
  },
  upstream_authorization_failed: {
    text: 'The upstream and its authorization server must respond as MCP specifies: see the message.',
  },
  upstream_client_missing: {
    text: 'The gateway must be a client of the authorization server: register it there, and set `oauth.client_id`.',
    mcp: 'tool error',
  },
  unknown_argument: {
    text: 'A prompt must declare each argument that it uses: declare it, or correct the name.',
    mcp: 'tool error',
  },
  unknown_item: {
    text: 'Each named item must exist: remove the entry, or correct it.',
    mcp: 'tool error',
  },
  unknown_placeholder: {
    text: 'Each placeholder must be a property of the input schema: declare it, or correct the name.',
    mcp: 'tool error',
  },
  unknown_secret: {
    text: 'The tool’s request must use each secret: use it there, or leave it out.',
    mcp: 'tool error',
  },
  unknown_upstream_tool: {
    text: 'The upstream must have a tool with this name: check the names in its tool list.',
    mcp: 'tool error',
  },
  unsuitable_upstream_tool: {
    text: 'The upstream’s tool must have a schema and size that the gateway accepts: change it upstream.',
    mcp: 'tool error',
  },
  unsupported_document: {
    text: 'The document must be what the import reads, such as OpenAPI 3.0 or 3.1: send it as JSON.',
  },
  upstream_in_use: {
    text: 'Items still use the upstream: delete those that `detail` names first.',
    mcp: 'tool error',
  },
  version_mismatch: {
    text: 'The version must be the current one: read the item again, and send your change with its new version.',
    mcp: ['HTTP 400', 'tool error'],
  },
} as const satisfies Record<string, Meaning>;
