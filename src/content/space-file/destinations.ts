import { newId } from '../../platform/ids.ts';
import { conflict } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { spaceLists } from './schema.ts';
import type { ConflictRule, SpaceFile, SpaceList } from './schema.ts';
import type { StoredName } from './store.ts';

/** Maximum number of problems in the response to an import: a file has thousands of entries. */
export const MAX_IMPORT_PROBLEMS = 100;

/** The target of an entry of the file: a new item, or the stored one with the same name. */
export interface Destination {
  list: SpaceList;
  /** Position in the list of the file. */
  index: number;
  name: string;
  id: string;
  stored: StoredName | null;
}

export interface Destinations {
  /** Entries to import, without the skipped ones. */
  all: readonly Destination[];
  skipped: readonly Destination[];
  /** Returns the id of the item with this name, whether it is stored or in the file. */
  idOf(list: SpaceList, name: string): string | undefined;
  /** Names that occur twice in a list. */
  problems: Problem[];
}

const nameFieldOf = (list: SpaceList) => (list === 'resources' ? 'path' : 'name');

/** Assigns a destination to each entry; throws one 409 that lists all reserved or taken names. */
export function findDestinations(
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
): Destinations {
  const known = new Map(stored.map((entry) => [keyOf(entry.list, entry.name), entry]));
  const destinations = new Map<string, Destination>();
  const problems: Problem[] = [];
  const taken: Problem[] = [];
  for (const { list, index, name } of namesIn(file)) {
    const key = keyOf(list, name);
    const location = { pointer: `/${list}/${index}/${nameFieldOf(list)}` };
    const before = known.get(key) ?? null;
    if (isReserved(list, name)) taken.push(reservedProblem(location));
    else if (before !== null && rule === 'fail') taken.push(takenProblem(location));
    if (destinations.has(key)) problems.push(duplicateProblem(location));
    destinations.set(key, { list, index, name, id: before?.id ?? newId(), stored: before });
  }
  throwIfTaken(taken);
  const isSkipped = (destination: Destination) => destination.stored !== null && rule === 'skip';
  return {
    all: [...destinations.values()].filter((destination) => !isSkipped(destination)),
    skipped: [...destinations.values()].filter(isSkipped),
    idOf: (list, name) => (destinations.get(keyOf(list, name)) ?? known.get(keyOf(list, name)))?.id,
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

const reservedProblem = (detail: object): Problem => ({
  code: 'name_taken',
  message: 'A built-in item has this name: choose another.',
  detail,
});
const takenProblem = (detail: object): Problem => ({
  code: 'name_taken',
  message:
    'The space already has an item of this name. Send `on_conflict=skip` to keep it, or `on_conflict=replace`.',
  detail,
});
const duplicateProblem = (detail: object): Problem => ({
  code: 'duplicate_item',
  message: 'The name occurs twice in the file.',
  detail,
});

function throwIfTaken(taken: Problem[]): void {
  const [first] = taken;
  if (first === undefined) return;
  const { code, message, detail } = first;
  throw conflict(code, message, { detail, problems: taken.slice(0, MAX_IMPORT_PROBLEMS) });
}
