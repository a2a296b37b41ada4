import type { Paths } from './shared-bodies.ts';

type JsonObject = Record<string, unknown>;

/** Moves every parameter that several places have into a component, and returns the components. */
export function shareParameters(paths: Paths): JsonObject {
  const places = Object.values(paths).flatMap((path) => [path, ...Object.values(path)]);
  const lists = places.filter(hasParameters);
  const texts = lists.flatMap(({ parameters }) => parameters).map((one) => JSON.stringify(one));
  const uses = Map.groupBy(texts, (text) => text);
  const names = new Map<string, string>();
  const shared: JsonObject = {};

  /** Returns the name itself, or with a number if other parameters have it. */
  function freeName(name: string): string {
    for (let number = 1; ; number += 1) {
      const free = number === 1 ? name : `${name}_${number}`;
      if (!(free in shared)) return free;
    }
  }

  function refer(parameter: JsonObject): JsonObject {
    const text = JSON.stringify(parameter);
    if (uses.get(text)!.length === 1) return parameter;
    const name = names.get(text) ?? freeName(String(parameter['name']).replace(/_id$/, ''));
    names.set(text, name);
    shared[name] = parameter;
    return { $ref: `#/components/parameters/${name}` };
  }

  for (const list of lists) list.parameters = list.parameters.map(refer);
  return shared;
}

const hasParameters = (place: unknown): place is { parameters: JsonObject[] } =>
  typeof place === 'object' && place !== null && 'parameters' in place;
