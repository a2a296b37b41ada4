import { prefixOf, qualifiedName } from '../spaces/prefix.ts';
import type { Space } from '../spaces/space.ts';
import { portabilityWarnings } from '../tools/portability.ts';
import type { Schema } from '../tools/schema-walk.ts';
import type { ToolWarning } from './schema.ts';

const MAX_WARNINGS = 500;

/** Returns what some model APIs refuse about tools; the last entry of a long list counts the others. */
export function warningsOf(
  space: Space,
  tools: readonly { tool: string; name: string; input_schema: Schema }[],
): ToolWarning[] {
  const all = tools.flatMap(({ tool, name, input_schema }) =>
    portabilityWarnings(qualifiedName(prefixOf(space), { family: 'tool', name }), input_schema).map(
      (warning): ToolWarning => ({ tool, ...warning }),
    ),
  );
  if (all.length <= MAX_WARNINGS) return all;
  const message = `There are ${all.length - MAX_WARNINGS} more warnings.`;
  const rest: ToolWarning = { tool: '', code: 'too_many', message, detail: { pointer: '' } };
  return [...all.slice(0, MAX_WARNINGS), rest];
}
