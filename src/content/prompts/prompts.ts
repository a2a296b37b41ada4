import type { Catalog } from '../../catalog/catalog.ts';
import { inTurns } from '../../platform/concurrency/turns.ts';
import type { Steps } from '../../platform/concurrency/turns.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { createItems } from '../items/items.ts';
import type { Draft, ItemFamily, ItemKind, Items, ItemsDependencies } from '../items/items.ts';
import { renamed } from '../items/renamed.ts';
import { pinning, withQuarantine } from '../pins/items-of-upstreams.ts';
import type { UpstreamItemsDependencies } from '../pins/items-of-upstreams.ts';
import { PromptChange, PromptDraft, PromptListed, PromptRecord } from './schema.ts';
import type { PromptContent, PromptSummary } from './schema.ts';
import { fillMessages, placeholdersOf } from './template.ts';

type Messages = PromptContent['messages'];

/** Reference to a prompt, from the caller's lists. */
export interface PromptRef {
  id: string;
  /** Null for a built-in prompt. */
  space_id: string | null;
  version: string;
}

export interface Prompts extends Items<PromptContent> {
  /**
   * Returns a prompt's messages with the values filled in, in turns that keys share fairly; null if
   * it has just been deleted.
   */
  fill(
    prompt: PromptRef,
    values: Readonly<Record<string, string>>,
    fairnessKey: string,
  ): Promise<Messages | 'too_large' | null>;
}

export interface PromptsDependencies extends ItemsDependencies, UpstreamItemsDependencies {
  catalog: Pick<Catalog, 'prompts' | 'promptById'>;
}

const MAX_FILLED_CHARACTERS = 1_000_000;

/** Manages user-defined prompts, and fills in these and built-in ones. */
export function createPrompts({ catalog, ...rest }: PromptsDependencies): Prompts {
  const platformNames = new Set(catalog.prompts().map(({ name }) => name));
  const items = createItems(
    {
      ...kind,
      ...pinning<PromptContent>(rest, 'prompt', ({ prompt }) => prompt),
      isReserved: (name) => platformNames.has(name),
    },
    rest,
  );

  async function messagesOf({ id, space_id, version }: PromptRef) {
    if (space_id === null) return catalog.promptById(id)?.messages;
    return (await items.contentAt({ space_id, id, version }))?.messages;
  }

  return {
    ...withQuarantine(items, rest, rest.database.pool),
    async fill(prompt, values, fairnessKey) {
      const messages = await messagesOf(prompt);
      if (messages === undefined) return null;
      const steps = fillMessages(messages, values, MAX_FILLED_CHARACTERS);
      return (await inTurns(fairnessKey, steps)) ?? 'too_large';
    },
  };
}

export const promptFamily: ItemFamily<PromptContent, PromptChange, PromptDraft> = {
  family: 'prompt',
  noun: 'prompt',
  actions: {
    create: 'prompt.create',
    update: 'prompt.update',
    delete: 'prompt.delete',
    promote: 'prompt.promote',
  },
  words: { one: 'prompt', a: 'a prompt', many: 'prompts' },
  path: 'prompts',
  tag: 'Prompts',
  permissions: 'prompts',
  nameField: 'name',
  draft: PromptDraft,
  change: PromptChange,
  record: PromptRecord,
  listed: PromptListed,
  draft_errors: ['fixed_field', 'unknown_argument'],
  merge: mergePrompt,
};

const kind: ItemKind<PromptContent, PromptChange, PromptDraft> = {
  ...promptFamily,
  draftOf: ({ name, ...content }) => ({ name, content }),
  summaryOf: ({ title, description, arguments: declared, upstream }): PromptSummary => ({
    ...{ title, description, arguments: declared },
    ...(upstream === undefined ? {} : { upstream }),
  }),
  problems: (_connection, { space_id, content }) =>
    inTurns(space_id, undeclaredPlaceholders(content)),
};

/** Rejects placeholders that no argument can fill; they are most likely typos. */
function* undeclaredPlaceholders({
  arguments: declared,
  messages,
}: PromptContent): Steps<Problem[]> {
  const names = new Set(declared.map(({ name }) => name));
  const problems: Problem[] = [];
  for (const [index, { content }] of messages.entries()) {
    for (const name of new Set(placeholdersOf(content)).difference(names))
      problems.push({
        code: 'unknown_argument',
        message: `The prompt has no argument named ${name}.`,
        detail: { pointer: `/messages/${index}/content` },
      });
    yield;
  }
  return problems;
}

function mergePrompt(stored: Draft<PromptContent>, change: PromptChange): Draft<PromptContent> {
  const { name, title, description, arguments: declared, messages } = change;
  const { content } = stored;
  if (content.upstream !== undefined)
    return renamed(stored, change, 'Only the name of a prompt of an upstream can be changed.');
  return {
    name: name ?? stored.name,
    content: {
      title: title === undefined ? content.title : title,
      description: description === undefined ? content.description : description,
      arguments: declared ?? content.arguments,
      messages: messages ?? content.messages,
    },
  };
}
