import type { Steps } from '../../platform/concurrency/turns.ts';
import type { PromptContent } from './schema.ts';

type Message = PromptContent['messages'][number];

// Matches only without spaces: `{{ name }}` stays plain text, for prompts about templates.
const PLACEHOLDER = /\{\{([A-Za-z0-9_-]{1,64})\}\}/g;

/** Returns the names of the placeholders in a text. */
export const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);

/** Fills in the values; returns null if the result would exceed `max` characters. */
export function* fillMessages(
  messages: readonly Message[],
  values: Readonly<Record<string, string>>,
  max: number,
): Steps<Message[] | null> {
  if ((yield* lengthOf(messages, values)) > max) return null;
  const valueOf = (name: string) => (Object.hasOwn(values, name) ? values[name]! : '');
  const filled: Message[] = [];
  for (const { role, content } of messages) {
    const fill = (_text: string, name: string) => valueOf(name);
    filled.push({ role, content: content.replaceAll(PLACEHOLDER, fill) });
    yield;
  }
  return filled;
}

/** Computes the length before any text is built, since a template can repeat a value many times. */
function* lengthOf(
  messages: readonly Message[],
  values: Readonly<Record<string, string>>,
): Steps<number> {
  let length = 0;
  for (const { content } of messages) {
    length += content.length;
    for (const [text, name] of content.matchAll(PLACEHOLDER))
      length += (Object.hasOwn(values, name!) ? values[name!]!.length : 0) - text.length;
    yield;
  }
  return length;
}
