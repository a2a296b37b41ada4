import type { Route } from '../../caller/route.ts';
import { itemRoutes } from '../items/routes.ts';
import { resourceFamily } from './resources.ts';
import type { Resources } from './resources.ts';

export const resourceRoutes = (resources: Resources): Route[] =>
  itemRoutes(resourceFamily, resources);
