import type { Mount, MountedRequest } from '../spaces/mount.ts';
import type { Items } from './items.ts';
import type { ItemFamily } from './kind.ts';

/** Returns the item's name in operation ids: `CustomTool`. */
export const nounOf = ({ noun }: ItemFamily) =>
  noun.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const pathOf = ({ path }: ItemFamily, mount: Mount) => `${mount.path}/${path}`;

/** Throws 404 if the space of a request has no such item. */
export const requireItem =
  (items: Items, mount: Mount) => async (request: MountedRequest<{ id: string }>) =>
    items.get((await mount.spaceOf(request)).id, request.params.id);
