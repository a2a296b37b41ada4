import type { PlatformPrompt } from '../prompt.ts';

export const explainDecision: PlatformPrompt = {
  id: '5c1f8a1e-3f0b-4a52-9d0e-6b6a4f0f1a02',
  name: 'explain_decision',
  title: 'Explain a decision',
  description:
    'A decision with its reasons, its alternatives and what would change it, for somebody who was not there.',
  arguments: [
    { name: 'decision', description: 'What was decided.', required: true },
    { name: 'background', description: 'What is known about how it came about.', required: false },
  ],
  messages: [
    {
      role: 'user',
      content: `Explain the decision below to somebody who was not there and has to live with it.

State it in one sentence. Then: the problem it answers, the alternatives with the honest case for each, why this one, what it costs, and what would have to change for it to be wrong. Mark what you infer rather than know.

The decision: {{decision}}

Background: {{background}}`,
    },
  ],
};
