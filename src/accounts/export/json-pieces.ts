/**
 * Yields entries as the JSON of one object. An `AsyncIterable` is streamed row by row; it may be an
 * entry's value or a direct field of that value.
 */
export async function* jsonPieces(
  entries: Iterable<Entry> | AsyncIterable<Entry>,
): AsyncGenerator<string> {
  let before = '{';
  for await (const [name, value] of entries) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    yield* valuePieces(value);
  }
  yield before === '{' ? '{}' : '}';
}

type Entry = readonly [name: string, value: unknown];

async function* valuePieces(value: unknown): AsyncGenerator<string> {
  if (isLongList(value)) yield* listPieces(value);
  else if (holdsLongList(value)) yield* jsonPieces(Object.entries(value));
  else yield JSON.stringify(value);
}

async function* listPieces(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

const isLongList = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const holdsLongList = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).some(isLongList);
