import { z } from 'zod';
import { documentText, parseJson } from '../documents.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

export const jsonQuery = defineTool({
  id: 'b54afdec-c384-4308-9f71-5f1742c70049',
  name: 'json_query',
  title: 'Query JSON with JMESPath',
  description:
    'Selects and reshapes parts of a JSON document with a JMESPath expression (jmespath.org), as ' +
    'the AWS command line does. Use it to filter, project, sort and count long JSON instead of ' +
    'reading it. String literals are in single quotes, other literals in backticks. A path that ' +
    'does not exist gives null. Examples of `query`: "people[?age > `30`].name", "length(items)", ' +
    '"sort_by(items, &price)[-1].{name: name, price: price}".',
  input: z.strictObject({
    json: documentText('The JSON document as text, at most 200,000 characters.'),
    query: z.string().min(1).max(2000).describe('A JMESPath expression.'),
  }),
  output: z.object({ result: z.unknown() }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'Names of people over thirty',
      arguments: {
        json: '{"people": [{"name": "Ada", "age": 36}, {"name": "Ben", "age": 25}]}',
        query: 'people[?age > `30`].name',
      },
      result: { result: ['Ada'] },
    },
    {
      title: 'A path that does not exist',
      arguments: { json: '{}', query: 'a.b' },
      result: { result: null },
    },
    {
      title: 'An incomplete expression',
      arguments: { json: '{}', query: 'people[?age' },
      error: 'invalid_query',
    },
    { title: 'Not JSON', arguments: { json: '{a: 1}', query: 'a' }, error: 'invalid_json' },
  ],
  async compute({ json, query }) {
    const { queryJson } = await import('../query-json.ts');
    const document = parseJson(json, 'json');
    try {
      return { result: queryJson(document, query) };
    } catch (error) {
      if (error instanceof RangeError || error instanceof ToolFailure) throw error;
      const why = error instanceof Error ? error.message : '';
      throw new ToolFailure('invalid_query', `The JMESPath expression failed: ${why}`);
    }
  },
});
