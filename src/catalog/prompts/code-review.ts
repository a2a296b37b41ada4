import type { PlatformPrompt } from '../prompt.ts';

export const codeReview: PlatformPrompt = {
  id: '5c1f8a1e-3f0b-4a52-9d0e-6b6a4f0f1a01',
  name: 'code_review',
  title: 'Review code',
  description: 'Reviews a change: what is wrong, how certain that is, and how to fix it.',
  arguments: [
    { name: 'code', description: 'The code or diff to review.', required: true },
    {
      name: 'focus',
      description: 'What to focus on, such as security or performance.',
      required: false,
    },
  ],
  messages: [
    {
      role: 'user',
      content: `Review the code below as a careful colleague.

Report defects first: for each, its location, what goes wrong and for which input, how sure you are, and the smallest change that fixes it. Then report what makes the code hard to read or change. Ignore style issues that a formatter handles. If you find no defects, say so and list what you checked. Do not invent context you were not shown.

Focus on this in particular, if given: {{focus}}

The code:

{{code}}`,
    },
  ],
};
