import type { PromptMessage } from '@modelcontextprotocol/client';

/** The messages of a prompt, as its upstream filled it in. */
export interface PromptMessages {
  messages: readonly PromptMessage[];
}

/** One part of a resource; a resource usually has one. */
interface ResourcePart {
  mimeType?: string;
  text?: string;
  blob?: string;
}

/** The content of a resource, without the URIs that it has at the upstream. */
export interface ResourceContents {
  contents: readonly ResourcePart[];
}

/** Returns the messages if the result is valid in the protocol version of the connection. */
export async function requireMessages(value: unknown, is2026: boolean): Promise<PromptMessages> {
  requireComplete(value, is2026);
  const { specTypeSchemas } = await import('@modelcontextprotocol/client');
  const checked = specTypeSchemas.GetPromptResult['~standard'].validate(value);
  if (checked.issues !== undefined) throw new Error('an invalid result');
  return { messages: checked.value.messages };
}

/** Returns the content if the result is valid in the protocol version of the connection. */
export async function requireResourceContents(
  value: unknown,
  is2026: boolean,
): Promise<ResourceContents> {
  requireComplete(value, is2026);
  const { specTypeSchemas } = await import('@modelcontextprotocol/client');
  const checked = specTypeSchemas.ReadResourceResult['~standard'].validate(value);
  if (checked.issues !== undefined) throw new Error('an invalid result');
  return { contents: checked.value.contents.map(partOf) };
}

const partOf = ({ mimeType, text, blob }: ReceivedPart): ResourcePart => ({
  ...(mimeType === undefined ? {} : { mimeType }),
  ...(text === undefined ? { blob: blob! } : { text }),
});

interface ReceivedPart {
  mimeType?: string | undefined;
  text?: string | undefined;
  blob?: string | undefined;
}

/** Throws if a result of 2026's protocol is not complete: the gateway cannot be asked for input. */
function requireComplete(value: unknown, is2026: boolean): void {
  const { resultType } = (value ?? {}) as { resultType?: unknown };
  if (is2026 && resultType !== 'complete') throw new Error('not a complete result');
}
