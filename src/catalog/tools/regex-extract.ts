import { z } from 'zod';
import { documentText } from '../documents.ts';
import { compilePattern } from '../pattern.ts';
import { defineTool, PURE } from '../tool.ts';

export const regexExtract = defineTool({
  id: '2950c2cd-fb69-4048-b13f-5d2e5fce5eef',
  name: 'regex_extract',
  title: 'Extract matches of a regular expression',
  description:
    'Finds all matches of a regular expression in text, with their groups and positions. The ' +
    'syntax is RE2 (as in Go): linear time, so no look-around and no backreferences; named ' +
    'groups are (?P<name>…) or (?<name>…). Example: {"text": "a=1, b=2", "pattern": ' +
    '"(?P<key>\\\\w)=(\\\\d)"}.',
  input: z.strictObject({
    text: documentText('At most 200,000 characters.'),
    pattern: z.string().min(1).max(1000).describe('RE2 expression without delimiters.'),
    ignore_case: z.boolean().optional().describe('Default false.'),
    multiline: z
      .boolean()
      .optional()
      .describe('^ and $ also match at line boundaries. Default false.'),
    dot_all: z.boolean().optional().describe('. also matches line breaks. Default false.'),
    max_matches: z.int().min(1).max(1000).optional().describe('Default 100.'),
  }),
  output: z.object({
    matches: z.array(
      z.object({
        match: z.string(),
        start: z.int().describe('Offset in UTF-16 code units, starting at 0.'),
        end: z.int(),
        groups: z
          .array(z.string().nullable())
          .describe('Null for a group that did not participate.'),
        named: z.record(z.string(), z.string().nullable()),
      }),
    ),
    truncated: z.boolean().describe('Whether there are more matches than `max_matches`.'),
  }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'Keys and values',
      arguments: { text: 'a=1, b=2', pattern: '(?P<key>\\w)=(\\d)', max_matches: 1 },
      result: {
        matches: [{ match: 'a=1', start: 0, end: 3, groups: ['a', '1'], named: { key: 'a' } }],
        truncated: true,
      },
    },
    {
      title: 'Nothing found',
      arguments: { text: 'abc', pattern: '\\d+' },
      result: { matches: [], truncated: false },
    },
    {
      title: 'Look-ahead is not supported',
      arguments: { text: 'abc', pattern: 'a(?=b)' },
      error: 'invalid_pattern',
    },
  ],
  async compute({ text, pattern, max_matches = 100, ...options }) {
    const matcher = (await compilePattern(pattern, options)).matcher(text);
    const names = Object.entries(matcher.namedGroups ?? {});
    const matches = [];
    let hasMore = matcher.find();
    for (; hasMore && matches.length < max_matches; hasMore = matcher.find()) {
      const groups = Array.from(
        { length: matcher.groupCount() },
        (_, index) => matcher.group(index + 1) ?? null,
      );
      matches.push({
        match: matcher.group() ?? '',
        start: matcher.start(),
        end: matcher.end(),
        groups,
        named: Object.fromEntries(names.map(([name, index]) => [name, groups[index - 1] ?? null])),
      });
    }
    return { matches, truncated: hasMore };
  },
});
