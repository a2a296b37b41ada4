import type { PlatformPrompt } from '../prompt.ts';

export const writeTests: PlatformPrompt = {
  id: '5c1f8a1e-3f0b-4a52-9d0e-6b6a4f0f1a06',
  name: 'write_tests',
  title: 'Write tests',
  description: 'Tests that state the rules of a piece of code and fail when one is broken.',
  arguments: [
    { name: 'code', description: 'The code to test.', required: true },
    {
      name: 'framework',
      description: 'The test framework; the one the code already uses if left out.',
      required: false,
    },
  ],
  messages: [
    {
      role: 'user',
      content: `Write tests for the code below. Framework, where given: {{framework}}.

First list the rules the code is meant to keep, including what it must refuse. Then one test for each rule, with a title that states it, real inputs, and an assertion that fails when the rule is broken. Cover the edges: nothing, one, the largest, the malformed. Do not test how the code is built inside. Say which rules you could not tell from the code.

The code:

{{code}}`,
    },
  ],
};
