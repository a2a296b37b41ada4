import type { Route } from '../../caller/route.ts';
import { itemRoutes } from '../items/routes.ts';
import type { Mount } from '../spaces/mount.ts';
import { resourceFamily } from './resources.ts';
import type { Resources } from './resources.ts';

export const resourceRoutes = (resources: Resources, mount: Mount): Route[] =>
  itemRoutes(resourceFamily, resources, mount);
