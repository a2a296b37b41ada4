import type { PlatformPrompt } from '../prompt.ts';

export const planTask: PlatformPrompt = {
  id: '5c1f8a1e-3f0b-4a52-9d0e-6b6a4f0f1a03',
  name: 'plan_task',
  title: 'Plan a task',
  description: 'Steps in order, each with how to tell that it is done, and the risks first.',
  arguments: [
    { name: 'task', description: 'What is to be done.', required: true },
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

Begin with what is unclear, and ask at most three questions if an answer would change the plan. Then list the steps in order: each small enough to check, with how to tell that it is done. Put what is most likely to fail early. End with what is left out on purpose.

The task: {{task}}

Constraints: {{constraints}}`,
    },
  ],
};
