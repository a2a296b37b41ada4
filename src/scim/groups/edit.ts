import { malformed } from '../../platform/errors/refusal.ts';
import { isUuid } from '../../platform/ids.ts';
import { INVISIBLE_CHARACTERS } from '../../platform/text/invisible.ts';
import type { Filter } from '../filter/parse.ts';
import { invalidFilter } from '../filter/parse.ts';
import { invalidValue, isObject, readText, stepsOfObject } from '../operations.ts';
import type { Step } from '../operations.ts';

/** What a request sets of a group: an absent field stays as it is. */
export interface GroupEdit {
  display_name?: string;
  external_id?: string | null;
  /** In the order in which they are made. */
  members: MemberStep[];
}

/** Ids of accounts; in `replace`, all members from then on. */
export interface MemberStep {
  op: Step['op'];
  ids: readonly string[];
}

const NAME_CHARACTERS = 100;
const MAX_MEMBERS = 1_000;
const UNSEEN = new RegExp(`[${INVISIBLE_CHARACTERS}]`, 'u');

/** Returns what the changes of a PATCH set. */
export function groupEditOf(steps: readonly Step[]): GroupEdit {
  const edit: GroupEdit = { members: [] };
  for (const step of steps) applyStep(edit, step);
  return edit;
}

/** A group as POST and PUT send it: a missing external id is cleared, missing members stay. */
export type GroupDraft = GroupEdit & Required<Pick<GroupEdit, 'display_name'>>;

export function groupDraftOf(body: Readonly<Record<string, unknown>>): GroupDraft {
  const edit = groupEditOf(stepsOfObject('replace', body));
  const { display_name } = edit;
  if (display_name === undefined) throw invalidValue('displayName', 'present');
  return { external_id: null, ...edit, display_name };
}

function applyStep(edit: GroupEdit, { op, path, value }: Step): void {
  switch (path.attribute) {
    case 'displayname':
      if (op === 'remove') throw malformed('fixed_attribute', '`displayName` cannot be removed.');
      edit.display_name = readDisplayName(value);
      return;
    case 'externalid':
      edit.external_id = op === 'remove' ? null : readText('externalId', value);
      return;
    case 'members':
    case 'members.value':
      edit.members.push({
        op: op === 'remove' && path.filter === null && isAbsent(value) ? 'replace' : op,
        ids: path.filter === null ? idsIn(value) : [idOf(path.filter)],
      });
  }
}

const isAbsent = (value: unknown) => value === undefined || value === null;

function readDisplayName(value: unknown): string {
  const name = readText('displayName', value);
  if (name === null || Array.from(name).length > NAME_CHARACTERS || UNSEEN.test(name))
    throw invalidValue('displayName', `a visible text of at most ${NAME_CHARACTERS} characters`);
  return name;
}

/** Returns the ids in a list of members. */
function idsIn(value: unknown): string[] {
  if (isAbsent(value)) return [];
  const all = [value].flat();
  if (all.length > MAX_MEMBERS)
    throw invalidValue('members', `at most ${MAX_MEMBERS} at a time: send the others separately`);
  return all.map((one) => readId(isObject(one) ? one['value'] : one));
}

/** Returns the id that a path selects: `members[value eq "…"]`. */
function idOf(filter: Filter): string {
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || !filter.path.endsWith('value'))
    throw invalidFilter('in the path may only compare `value` with `eq`');
  return readId(filter.value);
}

function readId(value: unknown): string {
  if (typeof value !== 'string' || !isUuid(value))
    throw invalidValue('members', 'users of this directory, named by their ids');
  return value.toLowerCase();
}
