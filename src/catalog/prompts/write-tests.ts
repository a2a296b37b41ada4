import type { PlatformPrompt } from '../prompt.ts';

export const writeTests: PlatformPrompt = {
  id: '5c1f8a1e-3f0b-4a52-9d0e-6b6a4f0f1a06',
  name: 'write_tests',
  title: 'Write tests',
  description: 'Writes tests that state the rules of a piece of code and fail when one is broken.',
  arguments: [
    { name: 'code', description: 'The code to test.', required: true },
    {
      name: 'framework',
      description: 'The test framework. Default: the one the code already uses.',
      required: false,
    },
  ],
  messages: [
    {
      role: 'user',
      content: `Write tests for the code below. Framework, if given: {{framework}}.

First list the rules the code should follow, including what it must reject. Then write one test for each rule, with a title that states it, realistic inputs, and an assertion that fails when the rule is broken. Cover the edge cases: empty, one, the largest, malformed. Do not test implementation details. Say which rules you could not infer from the code.

The code:

{{code}}`,
    },
  ],
};
