import { contendedBy } from '../../authz/authz.ts';
import type { Retry } from '../../authz/authz.ts';
import { isReservedToolName } from '../../catalog/catalog.ts';
import type { ItemAction } from '../../decision-log/decision-log.ts';
import type { Log } from '../../platform/observability/log.ts';
import { absent, forbidden } from '../../platform/errors/refusal.ts';
import type { ToolItem, View, Visibility } from '../../visibility/visibility.ts';
import type { ArgumentChecker } from './arguments.ts';
import type { Call, Reply } from '../protocol/call.ts';
import type { CallLog, TrackedCall } from './call-log.ts';
import { invalidParams, ProtocolFailure } from '../protocol/errors.ts';
import { findParamMismatch } from '../protocol/headers.ts';
import { structuredReply } from './run-tool.ts';
import type { Input, runTool, ToolDependencies } from './run-tool.ts';
import { toolsDenied } from '../search/denied.ts';
import { isRunTool, ranCall } from '../search/run-tool-call.ts';
import { runToolEntry } from '../search/run-tool-entry.ts';
import type { Decided, SystemTool } from '../system/system-tool.ts';

export interface CallToolDependencies {
  visibility: Pick<Visibility, 'find' | 'decide'>;
  calls: CallLog;
  systemTools: readonly SystemTool[];
  /** Called only by credentials that search for their tools. */
  searchTools: SystemTool;
  checker: ArgumentChecker;
  toolDependencies: ToolDependencies;
  run: typeof runTool;
  retry: Retry;
  log: Log;
}

/** Creates `tools/call`, in the order of mcp.md 8. A denied call is recorded, but not charged. */
export function createCallTool(dependencies: CallToolDependencies) {
  const { visibility, calls, checker, toolDependencies, run, retry, log, searchTools } =
    dependencies;
  const systemTools = new Map(dependencies.systemTools.map((tool) => [tool.name, tool]));

  const findSystemTool = ({ caller }: Call, name: unknown): SystemTool | undefined =>
    name === searchTools.name && caller.tool_listing === 'search'
      ? searchTools
      : systemTools.get(name as string);

  return async function callTool(sent: Call): Promise<Reply> {
    const call = isRunTool(sent) ? ranCall(sent) : sent;
    const name = nameOf(call.params);
    const system = call === sent ? findSystemTool(call, name) : undefined;
    const tracked = calls.begin(call, system === undefined ? 'tool_call' : 'system_call');
    try {
      return await (system === undefined
        ? callGoverned(call, tracked, name, sent)
        : callSystem(call, tracked, system));
    } catch (error) {
      tracked.refuse(error);
      throw error;
    }
  };

  /** Calls a tool. A call of `run_tool` was `sent` in place of one that names the tool itself. */
  async function callGoverned(
    call: Call,
    tracked: TrackedCall,
    name: unknown,
    sent: Call,
  ): Promise<Reply> {
    const isRun = sent !== call;
    const { call: current, decided } = await tracked.admit(async (latest) => {
      const view = await latest.view();
      if (isRun) requireRunnable(checker, latest, { view, tracked }, sent.params);
      requireName(view, tracked, name);
      const item = findPermitted(visibility, { view, tracked }, name);
      const values = inputOf(latest.params);
      checkParamHeaders(latest, { item, isRun }, values);
      if (item.tool.parse === undefined) checker.check(item, values);
      return { item, input: item.tool.parse?.(values) ?? values };
    });
    const { item, input } = decided;
    const { reply, outcome, isDenied } = await run(current, item, input, {
      toolDependencies,
      log,
      retry,
      contended: isReading(item) ? null : contendedBy(current.caller),
      decide: (view) => findPermitted(visibility, { view, tracked }, item.name),
    });
    if (isDenied === true) tracked.setDeniedInside();
    tracked.end(outcome);
    return reply;
  }

  async function callSystem(call: Call, tracked: TrackedCall, tool: SystemTool): Promise<Reply> {
    tracked.setItem({ id: tool.id, name: tool.name, origin: 'system' });
    const input = inputOf(call.params);
    checker.check(tool, input);
    tracked.setDecision({ family: 'tool', item: tool }, null);
    const decided: Decided = (action, denial) => tracked.setDecision(action, denial);
    const { decided: answer } = await tracked.admit((latest) =>
      tool.prepare(latest, input, decided),
    );
    const reply = structuredReply(await answer());
    tracked.end('ok');
    return reply;
  }
}

/** Throws unless the caller has `run_tool`, with these params, and may name such a tool. */
function requireRunnable(
  checker: ArgumentChecker,
  { caller, params }: Call,
  { view, tracked }: { view: View; tracked: TrackedCall },
  sent: unknown,
): void {
  const action: ItemAction = { family: 'tool', item: null };
  requireTools(view, tracked, action);
  if (caller.tool_listing !== 'search') {
    tracked.setDecision(action, { layer: 'absent', reason: 'not_found' });
    throw absent('the credential lists all its tools');
  }
  checker.check(runToolEntry, inputOf(sent));
  if (isReservedToolName(nameOf(params) as string))
    throw invalidParams([
      {
        pointer: '/name',
        message: 'must be a tool that `search_tools` finds; call tools that are listed directly',
      },
    ]);
}

const isReading = ({ annotations }: ToolItem): boolean => annotations.readOnlyHint;

/** Returns the tool or throws, with the same decision as lists; the reason is never sent. */
function findPermitted(
  visibility: CallToolDependencies['visibility'],
  { view, tracked }: { view: View; tracked: TrackedCall },
  name: string,
): ToolItem {
  const item = visibility.find(view, 'tool', name);
  if (item !== null) tracked.setItem(item, item.tool.secret_arguments);
  const action: ItemAction = { family: 'tool', item };
  requireTools(view, tracked, action);
  if (item === null) {
    tracked.setDecision(action, { layer: 'absent', reason: 'not_found' });
    throw absent('no such tool');
  }
  const decision = visibility.decide(view, item);
  tracked.setDecision(action, decision.outcome === 'denied' ? decision : null);
  if (decision.outcome === 'allowed') return item;
  tracked.setDenyingLayer(decision.layer);
  if (decision.as === 'absent') throw absent(decision.reason);
  if (decision.as === 'capability')
    throw forbidden(
      'capability_denied',
      'This credential lacks a capability or permission that the tool requires.',
    );
  throw forbidden('tool_not_permitted', 'This credential may not call this tool.', {
    reason: decision.reason,
  });
}

const nameOf = (params: unknown): unknown => ((params ?? {}) as { name?: unknown }).name;

/** Throws unless the name is a string; a missing Tools capability takes precedence. */
function requireName(view: View, tracked: TrackedCall, name: unknown): asserts name is string {
  if (typeof name === 'string') return;
  requireTools(view, tracked, { family: 'tool', item: null });
  throw invalidParams([{ pointer: '/name', message: 'must be a string' }]);
}

function requireTools({ capabilities }: View, tracked: TrackedCall, action: ItemAction): void {
  if (capabilities.has('tools')) return;
  tracked.setDecision(action, { layer: 'capability', reason: 'capability_missing' });
  throw toolsDenied();
}

/** Reads the arguments. Call it only for a permitted tool: an error reveals that it exists. */
function inputOf(params: unknown): Input {
  const { arguments: input } = (params ?? {}) as { arguments?: unknown };
  if (input === undefined) return {};
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidParams([{ pointer: '/arguments', message: 'must be an object' }]);
  return input as Input;
}

// Only for a caller that may call the tool, since an error reveals that it exists (mcp.md 4).
function checkParamHeaders(
  { headers }: Call,
  { item, isRun }: { item: ToolItem; isRun: boolean },
  input: Input,
): void {
  if (headers === undefined) return;
  // A client knows only the schema of `run_tool`, by which it repeats no argument in a header.
  const mismatch = findParamMismatch(headers, item.input_schema, input, { isRequired: !isRun });
  if (mismatch !== null) throw new ProtocolFailure(mismatch);
}
