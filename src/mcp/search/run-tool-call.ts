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
 * itself. Whether the arguments of `run_tool` fit its schema is checked later: before that, it is
 * decided whether the caller has any tools.
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
