import type { z } from 'zod';
import type { PromptListed, PromptRecord } from '../../../content/prompts/schema.ts';

export type ListedPrompt = z.infer<typeof PromptListed>;
export type Prompt = z.infer<typeof PromptRecord>;

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
