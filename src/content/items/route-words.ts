import { manyIn, nounIn, oneIn } from '../spaces/mount.ts';
import type { Mount } from '../spaces/mount.ts';
import type { ItemFamily } from './kind.ts';

/** Who reaches a new item, by the kind of its space; of a personal one, nobody else. */
const REACH: Readonly<Record<Mount['kind'], string | undefined>> = {
  personal: undefined,
  organization: 'Agents reach it if it is organization-wide, or through a policy of their team.',
  member: 'Only your own agents reach it.',
  team: 'The agents of the team reach it.',
};

/** Returns the title of each operation on a family's items in a mount, and what callers must know. */
export function routeWords({ words }: Pick<ItemFamily, 'words'>, mount: Mount) {
  const { one, many } = words;
  const [anItem, item] = [oneIn(mount, one), nounIn(mount, one)];
  return {
    list: {
      summary: `List ${manyIn(mount, many)}`,
      description: undefined,
    },
    scopable: {
      summary: `List ${nounIn(mount, many)} for policies`,
      description: undefined,
    },
    get: {
      summary: `Get ${anItem}`,
      description: undefined,
    },
    create: {
      summary: `Create ${anItem}`,
      description: REACH[mount.kind],
    },
    update: {
      summary: `Change ${anItem}`,
      description: undefined,
    },
    delete: {
      summary: `Delete ${anItem}`,
      description: 'Also deletes its history and policy entries.',
    },
    versions: {
      summary: `List ${item} versions`,
      description: undefined,
    },
    version: {
      summary: `Get ${oneIn(mount, `${one} version`)}`,
      description: undefined,
    },
    uses: {
      summary: `Get ${item} uses`,
      description: undefined,
    },
    restore: {
      summary: `Restore ${oneIn(mount, `${one} version`)}`,
      description: undefined,
    },
    promote: {
      summary: `Promote ${anItem}`,
      description: `Moves it into the catalog of the organization, with its history.`,
    },
  };
}
