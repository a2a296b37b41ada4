import type { CallToolResult } from '@modelcontextprotocol/client';

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns a tool's result if it is valid in the protocol version of the connection; throws
 * otherwise. Text, which is what most tools return, is checked here; the SDK's schemas, which take
 * longer than the rest of a call, check all other content.
 */
export async function requireToolResult(value: unknown, is2026: boolean): Promise<CallToolResult> {
  if (!isObject(value)) throw new Error('not a result');
  const { resultType, content, structuredContent } = value;
  if (is2026 && (resultType !== 'complete' || content === undefined))
    throw new Error('not a complete result');
  if (!is2026 && structuredContent !== undefined && !isObject(structuredContent))
    throw new Error('structured content that is not an object');
  return isPlain(value) ? value : requireValid(value);
}

async function requireValid(value: Members): Promise<CallToolResult> {
  const { specTypeSchemas } = await import('@modelcontextprotocol/client');
  const checked = specTypeSchemas.CallToolResult['~standard'].validate(value);
  if (checked.issues !== undefined) throw new Error('an invalid result');
  return checked.value;
}

/** Whether a result consists of members whose validity is obvious. */
const isPlain = (value: Members): value is CallToolResult =>
  Array.isArray(value['content']) &&
  value['content'].every(isPlainText) &&
  (value['structuredContent'] === undefined || isObject(value['structuredContent'])) &&
  (value['isError'] === undefined || typeof value['isError'] === 'boolean');

function isPlainText(block: unknown): boolean {
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string')
    return false;
  for (const name in block) if (name !== 'type' && name !== 'text') return false;
  return true;
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
