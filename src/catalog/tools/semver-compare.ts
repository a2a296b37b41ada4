import { z } from 'zod';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const VersionText = z.string().min(1).max(128);

export const semverCompare = defineTool({
  id: 'b23ee392-54be-450a-862e-1e486e816840',
  name: 'semver_compare',
  title: 'Compare semantic versions',
  description:
    'Compares two semantic versions (semver.org: 1.10.0 is higher than 1.9.0, 2.0.0-rc.1 lower ' +
    'than 2.0.0) and, with `range`, reports which of them satisfy an npm range. Example: {"left": ' +
    '"1.9.0", "right": "1.10.0", "range": "^1.9.1"}.',
  input: z.strictObject({
    left: VersionText,
    right: VersionText,
    range: z.string().max(256).optional().describe('npm range, such as ^1.2.0 or >=1 <3.'),
  }),
  output: z.object({
    comparison: z.enum(['lower', 'equal', 'higher']).describe('How `left` compares to `right`.'),
    difference: z.string().nullable().describe('major, minor, patch, pre…; null if equal.'),
    highest: z.string(),
    left_in_range: z.boolean().optional(),
    right_in_range: z.boolean().optional(),
  }),
  annotations: PURE,
  timeout_ms: 1000,
  examples: [
    {
      title: 'Parts of a version compare as numbers',
      arguments: { left: '1.9.0', right: '1.10.0', range: '^1.9.1' },
      result: {
        comparison: 'lower',
        difference: 'minor',
        highest: '1.10.0',
        left_in_range: false,
        right_in_range: true,
      },
    },
    {
      title: 'A release candidate comes before its release',
      arguments: { left: '2.0.0', right: '2.0.0-rc.1' },
      result: { comparison: 'higher', difference: 'major', highest: '2.0.0' },
    },
    {
      title: '"1.2" is not a semantic version',
      arguments: { left: '1.2', right: '1.2.0' },
      error: 'invalid_version',
    },
  ],
  async run({ left, right, range }) {
    const { default: semver } = await import('semver');
    const [a, b] = [left, right].map((text) => {
      const version = semver.parse(text);
      if (version) return version;
      throw new ToolFailure('invalid_version', `"${text}" is not a version such as 1.2.3.`);
    }) as [import('semver').SemVer, import('semver').SemVer];
    if (range !== undefined && semver.validRange(range) === null)
      throw new ToolFailure('invalid_range', `"${range}" is not a range such as ^1.2.0.`);
    const order = semver.compare(a, b);
    return {
      comparison:
        order < 0 ? ('lower' as const) : order > 0 ? ('higher' as const) : ('equal' as const),
      difference: semver.diff(a, b),
      highest: (order < 0 ? b : a).version,
      ...(range === undefined
        ? {}
        : {
            left_in_range: semver.satisfies(a, range),
            right_in_range: semver.satisfies(b, range),
          }),
    };
  },
});
