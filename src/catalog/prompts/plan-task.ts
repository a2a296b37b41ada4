import type { PlatformPrompt } from '../prompt.ts';

export const planTask: PlatformPrompt = {
  id: '5c1f8a1e-3f0b-4a52-9d0e-6b6a4f0f1a03',
  name: 'plan_task',
  title: 'Plan a task',
  description:
    'Plans a task as ordered steps, riskiest first, each with a way to tell that it is done.',
  arguments: [
    { name: 'task', description: 'The task to plan.', required: true },
    {
      name: 'constraints',
      description: 'Deadlines, tools, things that must not change.',
      required: false,
    },
  ],
  messages: [
    {
      role: 'user',
      content: `Plan the task below before doing any of it.

Begin with what is unclear, and ask at most three questions whose answers would change the plan. Then list the steps in order: each small enough to check, with a way to tell that it is done. Put what is most likely to fail early. End with what you deliberately left out.

The task: {{task}}

Constraints: {{constraints}}`,
    },
  ],
};
