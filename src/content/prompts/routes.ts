import type { Route } from '../../caller/route.ts';
import { itemRoutes, scopableRoute } from '../items/routes.ts';
import { promptFamily } from './prompts.ts';
import type { Prompts } from './prompts.ts';

export const promptRoutes = (prompts: Prompts): Route[] => [
  scopableRoute(promptFamily, prompts),
  ...itemRoutes(promptFamily, prompts),
];
