import { createRetry } from '../../authz/authz.ts';
import { ToolGone } from '../../catalog/tool-failure.ts';
import type { Log } from '../../platform/observability/log.ts';
import { absent, forbidden, isRefusal, unavailable } from '../../platform/errors/refusal.ts';
import type { ToolItem, View, Visibility } from '../../visibility/visibility.ts';
import type { ArgumentChecker } from './arguments.ts';
import type { Call, Reply } from '../protocol/call.ts';
import type { CallLog, FollowedCall } from './call-log.ts';
import { invalidParams, ProtocolFailure } from '../protocol/errors.ts';
import { findParamMismatch } from '../protocol/headers.ts';
import { structuredReply } from './run-tool.ts';
import type { Input, Running, runTool, ToolMeans } from './run-tool.ts';
import type { SystemTool } from '../system/system-tool.ts';

export interface CallToolDependencies {
  visibility: Pick<Visibility, 'find' | 'decide'>;
  calls: CallLog;
  systemTools: readonly SystemTool[];
  checker: ArgumentChecker;
  means: ToolMeans;
  run: typeof runTool;
  log: Log;
}

/** The life of one tool call, in the order of mcp.md 8. A denial costs nothing, and is kept. */
export function createCallTool(dependencies: CallToolDependencies) {
  const { visibility, calls, checker, means, run, log } = dependencies;
  const retry = createRetry();
  const systemTools = new Map(dependencies.systemTools.map((tool) => [tool.name, tool]));

  return async function callTool(call: Call): Promise<Reply> {
    const name = nameOf(call.params);
    const system = systemTools.get(name as string);
    const asked = calls.begin(call, system === undefined ? 'tool_call' : 'system_call');
    try {
      return await (system === undefined
        ? callGoverned(call, asked, name)
        : callSystem(call, asked, system));
    } catch (error) {
      asked.refuse(error);
      throw error;
    }
  };

  async function callGoverned(call: Call, asked: FollowedCall, name: unknown): Promise<Reply> {
    requireName(call, name);
    const item = findPermitted(visibility, { call, asked }, name);
    const sent = inputOf(call.params);
    checkParamHeaders(call, item, sent);
    if (item.tool.parse === undefined) checker.check(item, sent);
    const input = item.tool.parse?.(sent) ?? sent;
    await asked.admit();
    const decided = decidedBy(call, (again) =>
      findPermitted(visibility, { call: again, asked }, name),
    );
    const { reply, outcome } = await run(call, item, input, { means, log, decided });
    asked.end(outcome);
    return reply;
  }

  function decidedBy(call: Call, decide: (call: Call) => unknown): Running['decided'] {
    async function decideAgain(): Promise<Call> {
      const again = { ...call, ...(await call.identify()) };
      decide(again);
      return again;
    }
    return (work) =>
      retry({
        first: () => work(call),
        again: async () => work(await decideAgain().catch(goneIfAbsent)),
        owner: call.caller.quota_owner,
        until: performance.now() + RETRY_MS,
      });
  }

  async function callSystem(call: Call, asked: FollowedCall, tool: SystemTool): Promise<Reply> {
    asked.of({ id: tool.id, name: tool.name, origin: 'system' });
    const input = inputOf(call.params);
    checker.check(tool, input);
    const answer = tool.answer(call, input);
    await asked.admit();
    const reply = structuredReply(await answer());
    asked.end('ok');
    return reply;
  }
}

// As long as a request of REST, which is decided again for the same reason.
const RETRY_MS = 10_000;

/** A tool that became absent is absent in the words of every other, not in its own. */
function goneIfAbsent(error: unknown): never {
  throw isRefusal(error) && error.kind === 'absent' ? new ToolGone(error.message) : error;
}

/** What is listed is decided by the same function; its reason stays inside. */
function findPermitted(
  visibility: CallToolDependencies['visibility'],
  { call: { view }, asked }: { call: Call; asked: FollowedCall },
  name: string,
): ToolItem {
  if (view === null) throw unavailable('what the caller reaches is not known');
  const item = visibility.find(view, 'tool', name);
  if (item !== null) asked.of(item, item.tool.secret_arguments);
  requireTools(view);
  if (item === null) throw absent('no such tool');
  const decision = visibility.decide(view, item);
  if (decision.outcome === 'allowed') return item;
  asked.deniedBy(decision.layer);
  if (decision.as === 'absent') throw absent(decision.reason);
  if (decision.as === 'capability')
    throw capabilityDenied('This credential lacks a capability or permission the tool needs.');
  throw forbidden('tool_not_permitted', 'This tool is not permitted for this credential.', {
    reason: decision.reason,
  });
}

const nameOf = (params: unknown): unknown => ((params ?? {}) as { name?: unknown }).name;

/** The Tools capability comes first, whatever the name. */
function requireName({ view }: Call, name: unknown): asserts name is string {
  if (typeof name === 'string') return;
  if (view !== null) requireTools(view);
  throw invalidParams([{ pointer: '/name', message: 'must be a string' }]);
}

function requireTools({ capabilities }: View): void {
  if (!capabilities.has('tools'))
    throw capabilityDenied('This credential does not have the Tools capability.');
}

/** Looked at once the tool is permitted: what is wrong with it would tell that it exists. */
function inputOf(params: unknown): Input {
  const { arguments: input } = (params ?? {}) as { arguments?: unknown };
  if (input === undefined) return {};
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidParams([{ pointer: '/arguments', message: 'must be an object' }]);
  return input as Input;
}

// Only for a caller who may call the tool, or the check would tell that it exists (mcp.md 4).
function checkParamHeaders(call: Call, item: ToolItem, input: Input): void {
  if (call.headers === undefined) return;
  const mismatch = findParamMismatch(call.headers, item.input_schema, input);
  if (mismatch !== null) throw new ProtocolFailure(mismatch);
}

const capabilityDenied = (message: string) => forbidden('capability_denied', message);
