import type { PromptContent } from './schema.ts';

type Message = PromptContent['messages'][number];

// No spaces: `{{ name }}` is text like any other, for prompts that speak of templates.
const PLACEHOLDER = /\{\{([A-Za-z0-9_-]{1,64})\}\}/g;

/** The names a text waits for. */
export const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);

/** Null: with these values the prompt is longer than `most` characters. */
export function fillMessages(
  messages: readonly Message[],
  values: Readonly<Record<string, string>>,
  most: number,
): Message[] | null {
  if (lengthOf(messages, values) > most) return null;
  const valueOf = (name: string) => (Object.hasOwn(values, name) ? values[name]! : '');
  return messages.map(({ role, content }) => ({
    role,
    content: content.replaceAll(PLACEHOLDER, (_text, name: string) => valueOf(name)),
  }));
}

/** Counted before anything is built: few arguments can be asked for very often. */
function lengthOf(messages: readonly Message[], values: Readonly<Record<string, string>>): number {
  let length = 0;
  for (const { content } of messages) {
    length += content.length;
    for (const [text, name] of content.matchAll(PLACEHOLDER))
      length += (Object.hasOwn(values, name!) ? values[name!]!.length : 0) - text.length;
  }
  return length;
}
