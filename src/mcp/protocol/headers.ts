import type { IncomingHttpHeaders } from 'node:http';
import type { ProtocolError } from './call.ts';

export const HEADER_MISMATCH = -32020;

const SENTINEL = /^=\?base64\?(.*)\?=$/;

/** Parameter that `Mcp-Name` repeats, by method. */
const nameSources: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Decodes a header value: plain, or UTF-8 inside `=?base64?…?=`. Returns null if invalid. */
export function decodeHeaderValue(value: string): string | null {
  const inner = SENTINEL.exec(value)?.[1];
  if (inner === undefined) return value;
  const bytes = Buffer.from(inner, 'base64');
  if (bytes.toString('base64') !== inner) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

/** Checks that version, method and name repeat the body (2026), so that proxies can use them. */
export function findHeaderMismatch(
  headers: IncomingHttpHeaders,
  { version, method, params }: { version: string; method: string; params: unknown },
): ProtocolError | null {
  if (headers['mcp-protocol-version'] !== version)
    return mismatch('MCP-Protocol-Version', headers['mcp-protocol-version'], version);
  if (headers['mcp-method'] !== method)
    return mismatch('Mcp-Method', headers['mcp-method'], method);

  const source = nameSources.get(method);
  if (source === undefined) return null;
  const named = (params as Readonly<Record<string, unknown>>)[source];
  const sent = headers['mcp-name'];
  // A missing or non-string name is reported by the params check.
  if (typeof named !== 'string') return null;
  const decoded = typeof sent === 'string' ? decodeHeaderValue(sent) : null;
  return decoded === named ? null : mismatch('Mcp-Name', sent, named);
}

/**
 * Checks `Mcp-Param-*` of a tool whose schema marks properties with `x-mcp-header`: a header must
 * repeat each value (unless headers are not required), and be absent if the value is absent or null. Run this check only for a caller
 * that may call the tool.
 */
export function findParamMismatch(
  headers: IncomingHttpHeaders,
  inputSchema: unknown,
  values: unknown,
  { isRequired = true }: { isRequired?: boolean } = {},
): ProtocolError | null {
  for (const { name, path } of markedProperties(inputSchema)) {
    const header = `Mcp-Param-${name}`;
    const sent = headers[header.toLowerCase()];
    const value = path.reduce<unknown>(step, values);
    if (value === undefined || value === null) {
      if (sent !== undefined) return mismatch(header, sent, 'absent');
    } else if (sent === undefined && !isRequired) continue;
    else if (typeof sent !== 'string' || !repeats(decodeHeaderValue(sent), value))
      return mismatch(header, sent, 'the argument');
  }
  return null;
}

function repeats(sent: string | null, value: unknown): boolean {
  if (sent === null) return false;
  if (typeof value === 'number') return sent.trim() !== '' && Number(sent) === value;
  // A header cannot repeat an array or object, and converting one to a string may throw.
  return typeof value === 'string'
    ? sent === value
    : typeof value === 'boolean' && sent === `${value}`;
}

const step = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

interface MarkedProperty {
  name: string;
  path: readonly string[];
}

const markedBySchema = new WeakMap<object, readonly MarkedProperty[]>();

function markedProperties(schema: unknown): readonly MarkedProperty[] {
  if (typeof schema !== 'object' || schema === null) return [];
  let marked = markedBySchema.get(schema);
  if (marked === undefined) {
    marked = [...collect(schema, [])];
    markedBySchema.set(schema, marked);
  }
  return marked;
}

function* collect(schema: object, path: readonly string[]): Generator<MarkedProperty> {
  const properties = (schema as { properties?: unknown }).properties;
  if (typeof properties !== 'object' || properties === null) return;
  for (const [key, property] of Object.entries(properties)) {
    if (typeof property !== 'object' || property === null) continue;
    const name = (property as { 'x-mcp-header'?: unknown })['x-mcp-header'];
    if (typeof name === 'string') yield { name, path: [...path, key] };
    yield* collect(property, [...path, key]);
  }
}

const mismatch = (header: string, sent: unknown, expected: string): ProtocolError => ({
  code: HEADER_MISMATCH,
  message: `Header mismatch: ${header} must match the body`,
  data: { mismatch: { header, sent: typeof sent === 'string' ? sent : null, body: expected } },
});
