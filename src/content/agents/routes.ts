import type { Route } from '../../caller/route.ts';
import { itemRoutes } from '../items/routes.ts';
import { agentFamily } from './agents.ts';
import type { Agents } from './agents.ts';

export const agentRoutes = (agents: Agents): Route[] => itemRoutes(agentFamily, agents);
