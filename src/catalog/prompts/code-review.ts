import type { PlatformPrompt } from '../prompt.ts';

export const codeReview: PlatformPrompt = {
  id: '5c1f8a1e-3f0b-4a52-9d0e-6b6a4f0f1a01',
  name: 'code_review',
  title: 'Review code',
  description: 'A review of a change: what is wrong, how sure that is, and what to do about it.',
  arguments: [
    { name: 'code', description: 'The code or diff to review.', required: true },
    {
      name: 'focus',
      description: 'What matters most, such as security or speed.',
      required: false,
    },
  ],
  messages: [
    {
      role: 'user',
      content: `Review the code below as a careful colleague.

Report defects first: for each its place, what goes wrong and for which input, how sure you are, and the smallest change that mends it. Then what makes the code hard to read or to change. Say nothing about style a formatter settles. If you find no defect, say so and name what you looked for. Do not invent context you were not shown.

Look at this above all, if it is given: {{focus}}

The code:

{{code}}`,
    },
  ],
};
