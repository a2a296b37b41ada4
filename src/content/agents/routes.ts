import type { Route } from '../../caller/route.ts';
import { itemRoutes } from '../items/routes.ts';
import type { Mount } from '../spaces/mount.ts';
import { agentFamily } from './agents.ts';
import type { Agents } from './agents.ts';

export const agentRoutes = (agents: Agents, mount: Mount): Route[] =>
  itemRoutes(agentFamily, agents, mount);
