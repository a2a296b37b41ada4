import type { Document, YAMLError } from 'yaml';
import { z } from 'zod';
import { documentText, requireShallow } from '../documents.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

const MAX_MARKERS = 200;

export const yamlToJson = defineTool({
  id: 'aa013323-54c9-4649-b749-7b33738e0f00',
  name: 'yaml_to_json',
  title: 'YAML to JSON',
  description:
    'Parses YAML 1.2 into JSON, one value for each document in the stream. Use it to check a ' +
    'manifest or to query it with json_query. In YAML 1.2 yes and no are text; merge keys (<<) ' +
    'are applied; infinities and NaN become null. Fails with invalid_yaml and the line. Example: ' +
    '{"yaml": "a: 1\\nb: [x, y]"}.',
  input: z.strictObject({ yaml: documentText('At most 200,000 characters.') }),
  output: z.object({ documents: z.array(z.unknown()) }),
  annotations: PURE,
  timeout_ms: 10_000,
  examples: [
    {
      title: 'A mapping with an alias',
      arguments: { yaml: 'base: &b {x: 1}\nmore:\n  <<: *b\n  y: no' },
      result: { documents: [{ base: { x: 1 }, more: { x: 1, y: 'no' } }] },
    },
    {
      title: 'Two documents',
      arguments: { yaml: 'a: 1\n---\n- b' },
      result: { documents: [{ a: 1 }, ['b']] },
    },
    { title: 'An unclosed quote', arguments: { yaml: 'a: "b' }, error: 'invalid_yaml' },
  ],
  async compute({ yaml }) {
    if ((yaml.match(/^(?:---|\.\.\.)/gm)?.length ?? 0) > MAX_MARKERS)
      throw new ToolFailure(
        'too_complex',
        `The stream must have at most ${MAX_MARKERS} document markers.`,
      );
    const { parseAllDocuments } = await import('yaml');
    // The library compares all pairs of keys; `requireUniqueKeys` takes linear time.
    const parsed = parseAllDocuments(yaml, { merge: true, uniqueKeys: false, logLevel: 'error' });
    const found = Array.isArray(parsed) ? parsed : [];
    const documents = [];
    for (const document of found) {
      const [error] = document.errors;
      if (error) throw failureOf(error);
      await requireUniqueKeys(document);
      const value = expandAliases(() => document.toJS({ maxAliasCount: 100 }) as unknown);
      requireShallow(value, 'yaml');
      documents.push(value);
    }
    return { documents };
  },
});

function failureOf({ message, linePos }: YAMLError): ToolFailure {
  if (message.includes('call stack'))
    return new ToolFailure('too_deep', '`yaml` is nested too deeply.', { argument: 'yaml' });
  return new ToolFailure('invalid_yaml', message, { line: linePos?.[0].line });
}

async function requireUniqueKeys(document: Document): Promise<void> {
  const { isScalar, visit } = await import('yaml');
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<') continue;
        if (seen.has(key.value))
          throw new ToolFailure('invalid_yaml', `The key "${String(key.value)}" is duplicated.`);
        seen.add(key.value);
      }
    },
  });
}

/** Runs `work`; reports aliases that are undefined or expand to too much as `invalid_yaml`. */
function expandAliases<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ToolFailure('invalid_yaml', error.message);
  }
}
