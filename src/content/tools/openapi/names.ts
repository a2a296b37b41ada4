/** The parts of an operation that its tool can be named after. */
export interface NamedOperation {
  /** Its `operationId`, or its label. */
  id: string;
  label: string;
  key: string;
  route: string;
}

/**
 * Builds an unused name of at most 64 characters `a-z 0-9 _ -`, without `__`, from the operation's
 * id, or from method and path if it has none in these characters.
 */
export function nameFor(
  { id, label, key, route }: NamedOperation,
  isTaken: (name: string) => boolean,
): string {
  const words = id === label ? '' : wordsOf(id);
  const base = (words || wordsOf(`${key} ${route}`)).slice(0, 56).replace(/_+$/, '');
  let name = base;
  for (let count = 2; isTaken(name); count += 1) name = `${base}_${count}`;
  return name;
}

const wordsOf = (text: string) =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
