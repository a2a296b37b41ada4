import { z } from 'zod';

/** The discriminator all four policies share; a policy without one is `all`. */
export const policyModes = ['all', 'whitelist', 'blacklist'] as const;
export type PolicyMode = (typeof policyModes)[number];

export const Mode = z.enum(policyModes).default('all');

const LIST_ENTRIES = 1_000;

/** Any well-formed UUID in lower case, so that one id is one text. */
export const ItemId = z.guid().toLowerCase();

/** A list of ids; its length is looked at first, so that no body makes 500 000 complaints. */
export const IdList = z
  .array(z.unknown())
  .max(LIST_ENTRIES)
  .meta({ items: { type: 'string', format: 'uuid' } })
  .pipe(z.array(ItemId));

/** A policy as it was saved, which was checked then: reading costs a call no second check. */
export function requireStored(stored: unknown, lists: readonly string[]): object {
  const policy = (stored ?? {}) as Readonly<Record<string, unknown>>;
  const isRestricted = policy['mode'] === 'whitelist' || policy['mode'] === 'blacklist';
  const hasLists = lists.every((list, index) => {
    const stands = policy[list];
    return Array.isArray(stands) || (stands == null && index > 0);
  });
  if (policy['mode'] === 'all' || (isRestricted && hasLists)) return policy;
  throw new TypeError('A stored policy is not in shape.');
}

/** What well-shaped lists do wrong; each is one element of a 422. */
export interface PolicyFault {
  code: 'empty_list' | 'duplicate_item' | 'unknown_item';
  message: string;
  pointer: string;
}

type Lists<Name extends string> = { [list in Name]?: readonly string[] | undefined };

/** P1, P2: no list beside `all`, the required one in the other modes. */
export function listsFitMode<Name extends string>(required: Name, names: readonly Name[]) {
  return (policy: Lists<Name> & { mode: PolicyMode }, context: z.RefinementCtx): void => {
    const refuse = (list: string, message: string) =>
      context.addIssue({ code: 'custom', path: [list], message });
    if (policy.mode === 'all') {
      for (const list of names)
        if (policy[list] !== undefined) refuse(list, 'Mode `all` takes no list.');
    } else if (policy[required] === undefined)
      refuse(required, `Mode \`${policy.mode}\` needs this list.`);
  };
}

/** Every supplied list selects something. */
export function emptyLists<Name extends string>(
  policy: Lists<Name>,
  names: readonly Name[],
): PolicyFault[] {
  return names
    .filter((list) => policy[list]?.length === 0)
    .map((list) => fault('empty_list', 'The list is empty.', `/${list}`));
}

/** No entry twice, in one list or across them; entries have their canonical form already. */
export function duplicates<Name extends string>(
  policy: Lists<Name>,
  names: readonly Name[],
): PolicyFault[] {
  const seen = new Set<string>();
  return entries(policy, names)
    .filter(({ entry }) => seen.size === seen.add(entry).size)
    .map(({ list, index }) =>
      fault('duplicate_item', 'The entry is repeated.', `/${list}/${index}`),
    );
}

/** Unknown, deleted, another owner's, another list's: one answer, so nothing can be probed. */
export function unknownItems<Name extends string>(
  policy: Lists<Name>,
  names: readonly Name[],
  isKnown: (list: Name, id: string) => boolean,
): PolicyFault[] {
  return entries(policy, names)
    .filter(({ list, entry }) => !isKnown(list, entry))
    .map(({ list, index }) => fault('unknown_item', 'There is no such item.', `/${list}/${index}`));
}

/** A list that was not sent is empty: a whitelist admits nothing of it, a blacklist all. */
export function passes(mode: PolicyMode, isListed: () => boolean): boolean {
  return mode === 'all' || (mode === 'whitelist') === isListed();
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
