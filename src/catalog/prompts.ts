import type { PlatformPrompt } from './prompt.ts';
import { codeReview } from './prompts/code-review.ts';
import { explainDecision } from './prompts/explain-decision.ts';
import { planTask } from './prompts/plan-task.ts';
import { summarize } from './prompts/summarize.ts';
import { translate } from './prompts/translate.ts';
import { writeTests } from './prompts/write-tests.ts';

export const prompts: readonly PlatformPrompt[] = [
  codeReview,
  explainDecision,
  planTask,
  summarize,
  translate,
  writeTests,
];
