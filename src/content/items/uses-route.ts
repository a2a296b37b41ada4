import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { operationName, pathParams, tagName } from '../spaces/mount.ts';
import type { Mount } from '../spaces/mount.ts';
import type { Items } from './items.ts';
import type { ItemFamily } from './kind.ts';
import { nounOf, pathOf, requireItem } from './route-parts.ts';
import { routeWords } from './route-words.ts';
import { ItemParams, ItemUses } from './schema.ts';

/** Shows what uses an item: who may view the item sees of it what they may view anyway. */
export const usesRoute = (family: ItemFamily, items: Items, mount: Mount): Route =>
  defineRoute({
    method: 'GET',
    path: `${pathOf(family, mount)}/{id}/uses`,
    access: mount.access(`${family.permissions}_read`),
    operation_id: operationName(mount, `get${nounOf(family)}Uses`),
    ...routeWords(family, mount).uses,
    tag: tagName(mount, family.tag),
    params: pathParams(mount, ItemParams),
    object: requireItem(items, mount),
    responses: { 200: ItemUses },
    async handle({ params: { id, ...params }, caller }) {
      const space = await mount.spaceOf({ caller, params });
      return ok(await items.uses(caller, space, id));
    },
  });
