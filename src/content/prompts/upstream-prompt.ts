import type { UpstreamPrompt } from '../upstreams/content/schema.ts';
import { descriptionProblem } from '../upstreams/content/problems.ts';
import { PromptDescription } from './schema.ts';
import type { PromptContent } from './schema.ts';

/** Builds the content of a prompt from an upstream's description. */
export const promptContentOf = (
  upstream_id: string,
  { name: prompt, title, description, arguments: declared, pin }: UpstreamPrompt,
): PromptContent => ({
  ...{ title, description, arguments: declared, messages: [] },
  upstream: { upstream_id, prompt, pin },
});

/** Returns why an upstream's prompt cannot be a prompt here; null if it can. */
export const promptProblem = (found: UpstreamPrompt): string | null =>
  descriptionProblem('prompt', found, PromptDescription);
