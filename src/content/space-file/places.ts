import { newId } from '../../platform/ids.ts';
import { conflict } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { spaceLists } from './schema.ts';
import type { ConflictRule, SpaceFile, SpaceList } from './schema.ts';
import type { StoredName } from './store.ts';

/** How many problems one answer names. */
export const MOST_PROBLEMS = 100;

/** Where an entry of a file goes: a new item, or the stored one of its name. */
export interface Place {
  list: SpaceList;
  /** Of the list in the file. */
  index: number;
  name: string;
  id: string;
  stored: StoredName | null;
}

export interface Places {
  /** Of every entry but those that are skipped. */
  all: readonly Place[];
  skipped: readonly Place[];
  /** The item of this name there is, or will be. */
  idOf(list: SpaceList, name: string): string | undefined;
  /** Names that are in one list twice. */
  problems: Problem[];
}

const nameFieldOf = (list: SpaceList) => (list === 'resources' ? 'path' : 'name');

/** Gives each entry its place; throws the 409 of every name that is taken and may not be. */
export function placeEntries(
  file: SpaceFile,
  {
    stored,
    rule,
    isReserved,
  }: {
    stored: readonly StoredName[];
    rule: ConflictRule;
    isReserved(list: SpaceList, name: string): boolean;
  },
): Places {
  const known = new Map(stored.map((one) => [keyOf(one.list, one.name), one]));
  const places = new Map<string, Place>();
  const problems: Problem[] = [];
  const taken: Problem[] = [];
  for (const { list, index, name } of namesIn(file)) {
    const key = keyOf(list, name);
    const at = { pointer: `/${list}/${index}/${nameFieldOf(list)}` };
    const before = known.get(key) ?? null;
    if (isReserved(list, name)) taken.push(reserved(at));
    else if (before !== null && rule === 'fail') taken.push(nameTaken(at));
    if (places.has(key)) problems.push(repeated(at));
    places.set(key, { list, index, name, id: before?.id ?? newId(), stored: before });
  }
  refuseTaken(taken);
  const isSkipped = (place: Place) => place.stored !== null && rule === 'skip';
  return {
    all: [...places.values()].filter((place) => !isSkipped(place)),
    skipped: [...places.values()].filter(isSkipped),
    idOf: (list, name) => (places.get(keyOf(list, name)) ?? known.get(keyOf(list, name)))?.id,
    problems,
  };
}

const keyOf = (list: SpaceList, name: string) => `${list} ${name}`;

const namesIn = (file: SpaceFile) =>
  spaceLists.flatMap((list) =>
    file[list].map((entry, index) => ({
      list,
      index,
      name: 'path' in entry ? entry.path : entry.name,
    })),
  );

const reserved = (detail: object): Problem => ({
  code: 'name_taken',
  message: 'A built-in item has this name.',
  detail,
});
const nameTaken = (detail: object): Problem => ({
  code: 'name_taken',
  message: 'The space has it already. Send `on_conflict=skip` to keep that, or `replace`.',
  detail,
});
const repeated = (detail: object): Problem => ({
  code: 'duplicate_item',
  message: 'The name is there twice.',
  detail,
});

function refuseTaken(taken: Problem[]): void {
  const [first] = taken;
  if (first === undefined) return;
  const { code, message, detail } = first;
  throw conflict(code, message, { detail, problems: taken.slice(0, MOST_PROBLEMS) });
}
