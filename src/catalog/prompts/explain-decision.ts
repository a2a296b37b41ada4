import type { PlatformPrompt } from '../prompt.ts';

export const explainDecision: PlatformPrompt = {
  id: '5c1f8a1e-3f0b-4a52-9d0e-6b6a4f0f1a02',
  name: 'explain_decision',
  title: 'Explain a decision',
  description:
    'Explains a decision, its reasons and alternatives, and what would change it, to someone who was not involved.',
  arguments: [
    { name: 'decision', description: 'The decision.', required: true },
    {
      name: 'background',
      description: 'What is known about how the decision was made.',
      required: false,
    },
  ],
  messages: [
    {
      role: 'user',
      content: `Explain the decision below to someone who was not involved and has to live with it.

State it in one sentence. Then explain the problem it solves, the alternatives with a fair case for each, why this one was chosen, what it costs, and what would have to change for it to be wrong. Mark what you infer rather than know.

The decision: {{decision}}

Background: {{background}}`,
    },
  ],
};
