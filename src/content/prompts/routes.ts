import type { Route } from '../../caller/route.ts';
import { itemRoutes, scopableRoute } from '../items/routes.ts';
import type { Mount } from '../spaces/mount.ts';
import { promptFamily } from './prompts.ts';
import type { Prompts } from './prompts.ts';

export const promptRoutes = (prompts: Prompts, mount: Mount): Route[] => [
  scopableRoute(promptFamily, prompts, mount),
  ...itemRoutes(promptFamily, prompts, mount),
];
