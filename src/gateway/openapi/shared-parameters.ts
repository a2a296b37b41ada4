import { shareEqual } from './share-equal.ts';
import type { Paths } from './shared-bodies.ts';

type JsonObject = Record<string, unknown>;

/**
 * Moves parameters that several places have into components, which it returns: named as `component`
 * says, which it removes, or else as the parameter.
 */
export function shareParameters(paths: Paths): JsonObject {
  const lists = Object.values(paths)
    .flatMap((path) => [path, ...Object.values(path)])
    .filter(hasParameters);
  return shareEqual(
    'parameters',
    lists.flatMap(({ parameters }) =>
      parameters.map(({ component, ...parameter }, index) => {
        parameters[index] = parameter;
        return { in: parameters, at: index, name: String(component ?? parameter['name']) };
      }),
    ),
  );
}

const hasParameters = (place: unknown): place is { parameters: JsonObject[] } =>
  typeof place === 'object' && place !== null && 'parameters' in place;
