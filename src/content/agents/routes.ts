import type { Route } from '../../caller/route.ts';
import { itemRoutes } from '../items/routes.ts';
import { draftOfAgent, mergeAgent } from './agents.ts';
import type { Agents } from './agents.ts';
import { AgentChange, AgentDraft, AgentListed, AgentRecord } from './schema.ts';

export const agentRoutes = (agents: Agents): Route[] =>
  itemRoutes({
    items: agents,
    path: 'agents',
    permissions: 'agents',
    noun: 'agent definition',
    tag: 'Agents',
    draft: AgentDraft,
    change: AgentChange,
    record: AgentRecord,
    listed: AgentListed,
    draftOf: draftOfAgent,
    merge: mergeAgent,
  });
