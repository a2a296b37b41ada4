import { z } from 'zod';
import { boundedList } from '../platform/json/bounded-list.ts';

const policyModes = ['all', 'whitelist', 'blacklist'] as const;
export type PolicyMode = (typeof policyModes)[number];

/** The field `mode` of all four policies, where it must be sent. */
export const RequiredMode = z.enum(policyModes).meta({
  id: 'Mode',
  description:
    '`all` admits every item and has no list, `whitelist` admits the listed ones only, `blacklist` all others.',
});

/** A policy without a mode is `all`. */
export const Mode = RequiredMode.default('all');

const MAX_LIST_ENTRIES = 1_000;

/**
 * For each family, the policy of a key or a team and that policy's list of own items; resources are
 * matched by pattern.
 */
export const ownItemLists = {
  tool: ['tool_policy', 'custom_tools'],
  prompt: ['prompt_policy', 'prompts'],
  agent: ['agent_policy', 'agents'],
} as const;

/** Any well-formed UUID, in lower case, so that equal ids are equal strings. */
export const ItemId = z.guid().toLowerCase();

const ListedId = z.guid({ error: 'must be the id of an item, not its name' }).toLowerCase();

export const IdList = boundedList(ListedId, MAX_LIST_ENTRIES).meta({ id: 'ItemIds' });

/**
 * Checks only the shape of a stored policy: it was validated when saved, and every call reads it.
 * Throws `TypeError`.
 */
export function requireStored(stored: unknown, lists: readonly string[]): object {
  const policy = (stored ?? {}) as Readonly<Record<string, unknown>>;
  const isRestricted = policy['mode'] === 'whitelist' || policy['mode'] === 'blacklist';
  const hasLists = lists.every((list, index) => {
    const value = policy[list];
    return Array.isArray(value) || (value == null && index > 0);
  });
  if (policy['mode'] === 'all' || (isRestricted && hasLists)) return policy;
  throw new TypeError('A stored policy is invalid.');
}

/** A problem in a well-formed list; each becomes one entry of a 422 response. */
export interface PolicyFault {
  code: 'empty_list' | 'duplicate_item' | 'unknown_item';
  message: string;
  pointer: string;
}

type Lists<Name extends string> = { [list in Name]?: readonly string[] | undefined };

/** P1, P2: rejects a list with mode `all`, and any other mode without the required list. */
export function listsFitMode<Name extends string>(names: readonly [Name, ...Name[]]) {
  const [required] = names;
  return (policy: Lists<Name> & { mode: PolicyMode }, context: z.RefinementCtx): void => {
    const refuse = (list: string, message: string) =>
      context.addIssue({ code: 'custom', path: [list], message });
    if (policy.mode === 'all') {
      for (const list of names)
        if (policy[list] !== undefined) refuse(list, 'must be omitted in mode `all`');
    } else if (policy[required] === undefined)
      refuse(required, `is required in mode \`${policy.mode}\``);
  };
}

/** Returns the problems of a policy's lists; `mayBeEmpty` allows empty ones. */
export const faultsOf = <Name extends string>(
  policy: Lists<Name>,
  names: readonly Name[],
  {
    isKnown,
    mayBeEmpty = false,
  }: { isKnown(list: Name, id: string): boolean; mayBeEmpty?: boolean },
): PolicyFault[] => [
  ...(mayBeEmpty ? [] : emptyLists(policy, names)),
  ...duplicates(policy, names),
  ...unknownItems(policy, names, isKnown),
];

/** Rejects lists that were sent without entries. */
function emptyLists<Name extends string>(
  policy: Lists<Name>,
  names: readonly Name[],
): PolicyFault[] {
  return names
    .filter((list) => policy[list]?.length === 0)
    .map((list) =>
      fault(
        'empty_list',
        list === 'prompts'
          ? 'The list must not be empty, unless `platform_prompts` has entries.'
          : 'The list must not be empty.',
        `/${list}`,
      ),
    );
}

/** Rejects entries repeated in one list or across lists; they are already in canonical form. */
function duplicates<Name extends string>(
  policy: Lists<Name>,
  names: readonly Name[],
): PolicyFault[] {
  const seen = new Set<string>();
  return entries(policy, names)
    .filter(({ entry }) => seen.size === seen.add(entry).size)
    .map(({ list, index }) =>
      fault('duplicate_item', 'The list must not contain duplicates.', `/${list}/${index}`),
    );
}

/**
 * Returns the same error for ids that are unknown, deleted, or belong to another owner or list, so
 * that ids cannot be probed.
 */
function unknownItems<Name extends string>(
  policy: Lists<Name>,
  names: readonly Name[],
  isKnown: (list: Name, id: string) => boolean,
): PolicyFault[] {
  return entries(policy, names)
    .filter(({ list, entry }) => !isKnown(list, entry))
    .map(({ list, index }) =>
      fault('unknown_item', 'The item does not exist.', `/${list}/${index}`),
    );
}

/** An omitted list counts as empty: a whitelist then admits no item, a blacklist all items. */
export function isAdmitted(mode: PolicyMode, isListed: () => boolean): boolean {
  return mode === 'all' || (mode === 'whitelist') === isListed();
}

// Below this length, searching a list is as fast as looking up its set.
const SHORT_LIST = 16;
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/**
 * Returns whether a list has the id. Long lists are indexed once, and must never change: an
 * organization may have 200 teams, whose policies each admit or refuse thousands of items.
 */
export function hasId(list: readonly string[] | undefined, id: string): boolean {
  if (list === undefined || list.length < SHORT_LIST) return list?.includes(id) === true;
  let set = sets.get(list);
  if (set === undefined) sets.set(list, (set = new Set(list)));
  return set.has(id);
}

function entries<Name extends string>(policy: Lists<Name>, names: readonly Name[]) {
  return names.flatMap((list) =>
    (policy[list] ?? []).map((entry, index) => ({ list, index, entry })),
  );
}

const fault = (code: PolicyFault['code'], message: string, pointer: string): PolicyFault => ({
  code,
  message,
  pointer,
});
