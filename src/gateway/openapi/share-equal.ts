import { SCHEMAS } from './components.ts';

type JsonObject = Record<string, unknown>;

/** A place of the document, with the name that a component for what is there would have. */
export interface Place {
  in: object;
  at: string | number;
  name: string;
}

/**
 * Replaces equal objects in several places by references to components, which it returns, where that
 * makes the document shorter. Throws if different objects would get one name.
 */
export function shareEqual(kind: string, places: readonly Place[]): JsonObject {
  const shared: JsonObject = {};
  const equal = Map.groupBy(places, (place) => JSON.stringify(objectAt(place)));
  for (const [text, same] of equal) {
    const { name } = same[0]!;
    const reference = { $ref: `#/components/${kind}/${name}` };
    if (!isShorter({ text, reference, name, count: same.length })) continue;
    if (name in shared) throw new Error(`two ${kind} are called ${name}`);
    shared[name] = objectAt(same[0]!);
    for (const place of same) (place.in as JsonObject)[place.at] = reference;
  }
  return shared;
}

const objectAt = (place: Place) => (place.in as JsonObject)[place.at] as JsonObject;

interface Sharing {
  text: string;
  reference: object;
  name: string;
  count: number;
}

function isShorter({ text, reference, name, count }: Sharing): boolean {
  // References to schemas are still short here.
  const { length } = text.replaceAll(/(?<="\$ref":")(?:input|output):/g, SCHEMAS);
  const component = length + `"${name}":,`.length;
  return component + count * JSON.stringify(reference).length < count * length;
}
