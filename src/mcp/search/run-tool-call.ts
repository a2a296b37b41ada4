import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Call } from '../protocol/call.ts';
import { runToolEntry } from './run-tool-entry.ts';

/** Returns whether a call is one of `run_tool`, by a credential that has it. */
export const isRunTool = ({
  caller,
  params,
}: {
  caller: Pick<AgentPrincipal, 'tool_listing'>;
  params: unknown;
}): boolean =>
  caller.tool_listing === 'search' &&
  (params as { name?: unknown } | undefined)?.name === runToolEntry.name;

/**
 * Returns the call that a call of `run_tool` stands for: the same request, as if it named the tool
 * itself. The arguments of `run_tool` are validated later, after the check that the caller has the
 * Tools capability.
 */
export function ranCall(call: Call): Call {
  const params = call.params as Readonly<Record<string, unknown>>;
  const { name, arguments: input } = (params['arguments'] ?? {}) as Record<string, unknown>;
  const { arguments: _outer, ...rest } = params;
  return {
    ...call,
    params: { ...rest, name, ...(input === undefined ? {} : { arguments: input }) },
  };
}
