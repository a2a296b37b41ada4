import type { Meaning } from './meaning.ts';

const mcp = 'tool error';
/** Reads of prompts and resources of upstreams fail with these, too. */
const mcpOfReads = ['JSON-RPC error', mcp] as const;

/**
 * Errors of tool calls. REST uses some of them for drafts that it rejects before a tool is saved.
 */
export const toolCodes = {
  address_not_public: { text: 'The host must have a public address: use another URL.', mcp },
  argument_missing: { text: 'The operation requires the named argument: add it.', mcp },
  busy: { text: 'Too many computations are waiting: try again shortly.', mcp },
  cancelled: { text: 'The call was cancelled: call again if you still need its result.', mcp },
  capability_denied: {
    text: 'The credential must have the capability: ask its owner to add it to the key.',
    mcp,
  },
  duplicate_column: { text: 'Column names must be unique: rename one.', mcp },
  incompatible_units: { text: 'Both units must measure the same thing: choose others.', mcp },
  invalid_argument: {
    text: 'The argument must be valid where the request uses it: change it.',
    mcp,
  },
  invalid_color: { text: 'The color must be a CSS color: correct it.', mcp },
  invalid_cron: { text: 'The text must be a cron expression: correct it.', mcp },
  invalid_csv: {
    text: 'The text must be CSV with rows of equal length: correct the named line.',
    mcp,
  },
  invalid_duration: { text: 'The duration must be in ISO 8601: correct it.', mcp },
  invalid_encoding: { text: 'The text must be in the named encoding: correct it.', mcp },
  invalid_expression: {
    text: 'The expression must be valid: correct the problem that the message describes.',
    mcp,
  },
  invalid_namespace: { text: 'The namespace must be a UUID or a known name: correct it.', mcp },
  invalid_pattern: { text: 'The pattern must be an RE2 expression: correct it.', mcp },
  invalid_range: { text: 'The range must be valid and large enough: correct it.', mcp },
  invalid_request: {
    text: 'The method and headers must be allowed in outgoing requests: change them.',
    mcp,
  },
  invalid_response: {
    text: 'The other server must respond with valid HTTP and data: check it.',
    mcp,
  },
  invalid_schema: { text: 'The schema must be a supported JSON Schema: correct it.', mcp },
  invalid_time: { text: 'The time must be in ISO 8601: correct it.', mcp },
  invalid_version: { text: 'Versions must be semantic versions such as 1.2.3: correct it.', mcp },
  invalid_yaml: { text: 'The text must be valid YAML: correct the named line.', mcp },
  not_text: { text: 'The response must be text: request another resource.', mcp },
  out_of_range: { text: 'Numbers and dates must be within their range: use smaller ones.', mcp },
  redirect_refused: { text: 'The server must not redirect: use the URL it redirects to.', mcp },
  result_too_large: { text: 'The result must have at most 1 MB: request less.', mcp },
  secret_invalid: { text: 'The secret must be usable where it is inserted: set it again.', mcp },
  secret_missing: { text: 'Each secret of the tool must be set: ask its owner to set it.', mcp },
  secret_unreadable: {
    text: 'The stored secret must be readable with the current keys: set it again.',
    mcp: mcpOfReads,
  },
  time_zone_missing: { text: 'A time without an offset needs a time zone: add one.', mcp },
  timed_out: { text: 'The tool must finish in time: call it with less work.', mcp },
  timeout: { text: 'The other server must respond in time: try again later.', mcp },
  too_complex: { text: 'The input must be simple enough to process: simplify it.', mcp },
  too_deep: { text: 'The input must not be nested too deeply: flatten it.', mcp },
  too_different: { text: 'The texts must be more similar: compare smaller parts.', mcp },
  too_large: { text: 'The content must fit its limit: shorten it, or request less.', mcp },
  tool_not_permitted: {
    text: 'The credential’s policy must allow the tool: ask its owner to change the policy.',
    mcp,
  },
  unknown_time_zone: { text: 'The time zone must be an IANA name: correct it.', mcp },
  unknown_unit: { text: 'The unit must be a known one: use another name or symbol.', mcp },
  unreachable: { text: 'The other server must be reachable: check the URL, or try later.', mcp },
  upstream_authorization_required: {
    text: 'An account must be connected at the upstream: open `details.url`, connect one, then call again.',
    mcp: mcpOfReads,
  },
  upstream_error: {
    text: 'The other server must be reachable and accept the request: see `details`, then try again.',
    mcp: mcpOfReads,
  },
  url_not_allowed: {
    text: 'The URL must be absolute, use https and contain no user name or password: correct it.',
    mcp,
  },
} as const satisfies Record<string, Meaning>;
