import type { z } from 'zod';
import type { PromptListed, PromptRecord } from '../../../content/prompts/schema.ts';
import { samePath, textOrNull } from '../family.ts';
import type { Family } from '../family.ts';
import { PromptFields } from './prompt-fields.tsx';

export type ListedPrompt = z.infer<typeof PromptListed>;
type Prompt = z.infer<typeof PromptRecord>;

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: string;
}

export interface PromptValues extends Record<string, unknown> {
  name: string;
  title: string;
  description: string;
  arguments: PromptArgument[];
  messages: PromptMessage[];
}

export const promptFamily: Family<Prompt, PromptValues> = {
  place: 'prompts',
  path: 'prompts',
  nameOf: ({ name }) => name,
  valuesOf: (prompt) => ({
    name: prompt?.name ?? '',
    title: prompt?.title ?? '',
    description: prompt?.description ?? '',
    arguments: (prompt?.arguments ?? []).map((one) => ({
      ...one,
      description: one.description ?? '',
    })),
    messages: prompt?.messages ?? [{ role: 'user', content: '' }],
  }),
  bodyOf: (values) => ({
    ...values,
    title: textOrNull(values.title),
    description: textOrNull(values.description),
    arguments: values.arguments.map((one) => ({
      ...one,
      description: textOrNull(one.description),
    })),
  }),
  fieldOf: samePath,
  Fields: PromptFields,
};
