import { samePath, textOrNull } from '../family.ts';
import type { Family } from '../family.ts';
import { QuarantineNotice } from '../server-source.tsx';
import { PromptFields } from './prompt-fields.tsx';
import type { Prompt, PromptValues } from './prompt.ts';

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
  bodyOf: (values, prompt) =>
    prompt?.upstream === undefined
      ? {
          ...values,
          title: textOrNull(values.title),
          description: textOrNull(values.description),
          arguments: values.arguments.map((one) => ({
            ...one,
            description: textOrNull(one.description),
          })),
        }
      : { name: values.name },
  // Over REST, a message may be empty.
  requiredOf: ({ messages }) =>
    messages.flatMap(({ content }, index) =>
      content.trim() === '' ? [`messages.${index}.content`] : [],
    ),
  fieldOf: samePath,
  Fields: PromptFields,
  Notice: QuarantineNotice,
};
