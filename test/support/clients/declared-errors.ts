import { errorCodes } from '../../../src/platform/errors/error-codes.ts';
import type { Meaning } from '../../../src/platform/errors/codes/meaning.ts';

interface Message {
  error?: { data?: { code?: unknown } };
  result?: { isError?: boolean; structuredContent?: { error?: { code?: unknown } } };
}

/**
 * Throws if an MCP response contains an error whose code docs/errors.md does not list for MCP in
 * this form: an HTTP status, a JSON-RPC error or a tool error.
 */
export function requireDeclaredErrors(status: number, text: string): void {
  const [first = ''] = text.trimStart();
  if (first !== '{' && first !== '[') return;
  const messages = [JSON.parse(text) as Message | Message[]].flat();
  for (const { error, result } of messages) {
    const responseForm = status < 400 ? 'JSON-RPC error' : `HTTP ${status}`;
    if (error?.data?.code !== undefined) requireForm(error.data.code, responseForm);
    const toolErrorCode = result?.isError === true && result.structuredContent?.error?.code;
    if (toolErrorCode) requireForm(toolErrorCode, 'tool error');
  }
}

function requireForm(code: unknown, form: string): void {
  const meaning = (errorCodes as Readonly<Record<string, Meaning>>)[String(code)];
  const forms: readonly string[] = [meaning?.mcp ?? []].flat();
  if (!forms.includes(form))
    throw new Error(`\`${String(code)}\` is not declared as ${form} over MCP.`);
}
