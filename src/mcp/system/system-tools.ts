import { createAgentContext } from './agent-context.ts';
import type { AgentContextDependencies } from './agent-context.ts';
import { createBootstrap } from './bootstrap.ts';
import { createSetup } from './setup.ts';
import type { SystemTool } from './system-tool.ts';

export interface SystemToolsDependencies extends AgentContextDependencies {
  publicUrl: string;
  visibility: AgentContextDependencies['visibility'] &
    Parameters<typeof createBootstrap>[0]['visibility'];
}

/** Creates the tools that every credential has, in the order of `tools/list`. */
export const createSystemTools = ({
  publicUrl,
  visibility,
  readAgent,
}: SystemToolsDependencies): readonly SystemTool[] => [
  createSetup(publicUrl),
  createBootstrap({ visibility }),
  createAgentContext({ visibility, readAgent }),
];
