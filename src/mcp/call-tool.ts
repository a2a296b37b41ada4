import type { Admission, Limits } from '../limits/limits.ts';
import type { Log } from '../platform/log.ts';
import { absent, forbidden, limited, unavailable } from '../platform/refusal.ts';
import type { ToolItem, Visibility } from '../visibility/visibility.ts';
import type { ArgumentChecker } from './arguments.ts';
import type { Call, Reply } from './call.ts';
import { invalidParams, ProtocolFailure, sessionEnded } from './errors.ts';
import { findParamMismatch } from './headers.ts';
import { runTool, structuredReply } from './run-tool.ts';
import type { Input, Outcome, ToolMeans } from './run-tool.ts';
import type { SystemTool } from './system/system-tool.ts';

export interface CallToolDependencies {
  visibility: Pick<Visibility, 'findTool' | 'decide'>;
  limits: Pick<Limits, 'admit' | 'record'>;
  systemTools: readonly SystemTool[];
  checker: ArgumentChecker;
  means: ToolMeans;
  log: Log;
}

type Kind = 'tool_call' | 'system_call';

/** The life of one tool call, in the order of mcp.md 8. A denial costs nothing. */
export function createCallTool(dependencies: CallToolDependencies) {
  const { visibility, limits, checker, means, log } = dependencies;
  const systemTools = new Map(dependencies.systemTools.map((tool) => [tool.name, tool]));

  return async function callTool(call: Call): Promise<Reply> {
    const name = nameOf(call.params);
    const system = systemTools.get(name);
    if (system !== undefined) return callSystemTool(call, system, inputOf(call.params));

    const item = findPermitted(visibility, call, name);
    const input = inputOf(call.params);
    checkParamHeaders(call, item, input);
    checker.check(item, input);
    const admitted = await admit(call, 'tool_call');
    const started = performance.now();
    const { reply, outcome } = await runTool(call, item, input, { means, log });
    record(call, item, admitted, { kind: 'tool_call', outcome, started });
    return reply;
  };

  async function callSystemTool(call: Call, tool: SystemTool, input: Input): Promise<Reply> {
    checker.check(tool, input);
    const started = performance.now();
    const answer = tool.answer(call, input);
    const admitted = await admit(call, 'system_call');
    record(call, tool, admitted, { kind: 'system_call', outcome: 'ok', started });
    return structuredReply(answer);
  }

  /** One round trip: the windows, the month and, in era 2025, the session. */
  async function admit(call: Call, kind: Kind) {
    const { call_id, session } = call;
    const { owner } = call.caller;
    const admission = await (session === undefined
      ? limits.admit({ owner, kind, call_id })
      : limits.admit({ owner, kind, call_id, session: session.touch }));
    if (session !== undefined) session.state = admission.session;
    if (!admission.admitted) throw notAdmitted(admission);
    return { call_id, month: admission.month };
  }

  function record(
    { caller }: Call,
    tool: { id: string; name: string },
    admitted: { call_id: string; month: string | null },
    ended: { kind: Kind; outcome: Outcome; started: number },
  ): void {
    limits.record({
      ...admitted,
      owner: caller.owner,
      account_id: caller.account_id,
      key_id: caller.key_id,
      tool_id: tool.id,
      tool_name: tool.name,
      kind: ended.kind,
      outcome: ended.outcome,
      duration_ms: Math.round(performance.now() - ended.started),
    });
  }
}

/** What is listed is decided by the same function; its reason stays inside. */
function findPermitted(
  visibility: CallToolDependencies['visibility'],
  { view }: Call,
  name: string,
): ToolItem {
  if (view === null) throw unavailable('what the caller reaches is not known');
  if (!view.capabilities.has('tools'))
    throw capabilityDenied('This credential does not have the Tools capability.');
  const item = visibility.findTool(name);
  if (item === null) throw absent('no such tool');
  const decision = visibility.decide(view, item);
  if (decision.outcome === 'allowed') return item;
  if (decision.as === 'absent') throw absent(decision.reason);
  if (decision.as === 'capability')
    throw capabilityDenied('This credential lacks a capability the tool needs.');
  throw forbidden('tool_not_permitted', 'This tool is not permitted for this credential.', {
    reason: decision.reason,
  });
}

function nameOf(params: unknown): string {
  const { name } = (params ?? {}) as { name?: unknown };
  if (typeof name !== 'string') throw invalidParams([{ pointer: '/name', message: 'is a string' }]);
  return name;
}

/** Looked at once the tool is permitted: what is wrong with it would tell that it exists. */
function inputOf(params: unknown): Input {
  const { arguments: input } = (params ?? {}) as { arguments?: unknown };
  if (input === undefined) return {};
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidParams([{ pointer: '/arguments', message: 'is an object' }]);
  return input as Input;
}

// Only for a caller who may call the tool, or the check would tell that it exists (mcp.md 4).
function checkParamHeaders(call: Call, item: ToolItem, input: Input): void {
  if (call.headers === undefined) return;
  const mismatch = findParamMismatch(call.headers, item.input_schema, input);
  if (mismatch !== null) throw new ProtocolFailure(mismatch);
}

const capabilityDenied = (message: string) => forbidden('capability_denied', message);

function notAdmitted(admission: Extract<Admission, { admitted: false }>): Error {
  if (admission.window === null) return new ProtocolFailure(sessionEnded);
  const { window, limit, retry_after_seconds } = admission;
  return limited('rate_limited', `The limit of calls for this ${window} is reached.`, {
    detail: { window, limit, retry_after_seconds },
  });
}
