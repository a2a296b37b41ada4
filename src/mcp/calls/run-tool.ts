import { PassthroughResult, ToolDeleted, ToolFailure } from '../../catalog/catalog.ts';
import type { ToolContext } from '../../catalog/catalog.ts';
import type { CallOutcome } from '../../limits/schema.ts';
import type { Log } from '../../platform/observability/log.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Refusal } from '../../platform/errors/refusal.ts';
import type { ToolItem } from '../../visibility/visibility.ts';
import type { Management, ManagementContext } from '../management/context.ts';
import type { Call, Reply } from '../protocol/call.ts';
import { Deadline, ENDED } from './deadline.ts';
import { ToolAuthorization } from './tool-authorization.ts';
import type { ToolAuthorizationDependencies } from './tool-authorization.ts';
import { failureReply, ProtocolFailure, toolError } from '../protocol/errors.ts';

export type Input = Readonly<Record<string, unknown>>;

/** Dependencies of every tool; they contain no caller data. */
export interface ToolDependencies extends Pick<ToolContext, 'now' | 'outbound' | 'workers'> {
  management: Management;
}

export interface RunContext extends ToolAuthorizationDependencies {
  toolDependencies: ToolDependencies;
  log: Log;
}

export interface ToolRun {
  reply: Reply;
  outcome: Exclude<CallOutcome, 'refused'>;
  /** Whether the tool was denied something that its caller may not do. */
  isDenied?: boolean;
}

/** Runs an admitted call within its deadline; always resolves with a reply, never rejects. */
export async function runTool(
  call: Call,
  { tool }: ToolItem,
  input: Input,
  running: RunContext,
): Promise<ToolRun> {
  const deadline = new Deadline(call.cancellation, tool.timeout_ms);
  const context = new CallContext(running, call, deadline);
  try {
    const output = await deadline.race(tool.run(input, context));
    if (output instanceof PassthroughResult) return passthroughRun(output);
    if (output !== ENDED) return { reply: structuredReply(output as object), outcome: 'ok' };
    return call.cancellation.isCancelled
      ? { reply: toolError('cancelled', 'The call was cancelled.'), outcome: 'cancelled' }
      : { reply: toolError('timed_out', 'The tool timed out.'), outcome: 'timed_out' };
  } catch (error) {
    return failedRun(error, call, running.log);
  }
}

/** Context of one call; a class because of its getters (see `CancellationSource`). */
class CallContext implements ManagementContext {
  readonly now: ToolContext['now'];
  readonly workers: ToolContext['workers'];
  readonly fairnessKey: string;
  readonly person: string | null;
  readonly #running: RunContext;
  readonly #call: Call;
  readonly #deadline: Deadline;
  readonly #authorization: ToolAuthorization;
  #isManaging = false;

  constructor(running: RunContext, call: Call, deadline: Deadline) {
    const { now, workers } = running.toolDependencies;
    this.now = now;
    this.workers = workers;
    this.fairnessKey = call.caller.quota_owner.id;
    this.person = call.caller.person;
    this.#running = running;
    this.#call = call;
    this.#deadline = deadline;
    this.#authorization = new ToolAuthorization(call, running);
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get outbound(): ToolContext['outbound'] {
    const { outbound } = this.#running.toolDependencies;
    return {
      fetch: async (request) => {
        await this.requirePermitted();
        return outbound.fetch(request);
      },
    };
  }

  requirePermitted(): Promise<void> {
    return this.#isManaging
      ? this.#authorization.requireUnchanged()
      : this.#authorization.requirePermitted();
  }

  manage<T>(work: (management: Management, call: Call) => Promise<T>): Promise<T> {
    this.#isManaging = true;
    const { management } = this.#running.toolDependencies;
    return this.#authorization.run((call) => work(management, call));
  }

  get onProgress(): ToolContext['onProgress'] {
    return progressOf(this.#call);
  }
}

const MAX_NOTIFICATIONS = 1_000;
const MAX_CHARACTERS = 1_000;

/** Returns a function that sends a limited number of progress events; undefined without a token. */
function progressOf(call: Call): ToolContext['onProgress'] {
  const { _meta } = (call.params ?? {}) as { _meta?: { progressToken?: unknown } };
  const token = _meta?.progressToken;
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  // Every notification repeats the token, which may be as long as the request body allows.
  if (String(token).length > MAX_CHARACTERS) return undefined;
  let sent = 0;
  return ({ progress, total, message }) => {
    if ((sent += 1) > MAX_NOTIFICATIONS) return;
    const params = {
      progressToken: token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined
        ? {}
        : { message: message.slice(0, MAX_CHARACTERS).toWellFormed() }),
    };
    call.notify({ method: 'notifications/progress', params });
  };
}

const passthroughRun = ({ result }: PassthroughResult): ToolRun => ({
  reply: { result },
  outcome: result.isError === true ? 'tool_error' : 'ok',
});

function failedRun(error: unknown, call: Call, log: Log): ToolRun {
  if (error instanceof ToolFailure)
    return { reply: toolError(error.code, error.message, error.details), outcome: 'tool_error' };
  if (error instanceof ToolDeleted)
    return { reply: failureReply(absent(error.message), call, log), outcome: 'tool_error' };
  const refusal = asRefusal(error);
  if (refusal?.kind === 'unauthenticated')
    return { reply: failureReply(refusal, call, log), outcome: 'failed' };
  // Some arguments are validated only while the tool runs, such as another list's cursor.
  if (error instanceof ProtocolFailure || refusal?.kind === 'malformed')
    return { reply: failureReply(error, call, log), outcome: 'tool_error' };
  // The call was well-formed and permitted, so a refusal thrown by the tool is a tool error.
  if (refusal !== null && refusal.kind !== 'unavailable')
    return {
      reply: toolError(refusal.code, refusal.message, detailsOf(refusal)),
      outcome: 'tool_error',
      isDenied: refusal.kind === 'forbidden',
    };
  return { reply: failureReply(error, call, log), outcome: 'failed' };
}

/** Returns the refusal's detail; if there are several problems, adds all of them as `problems`. */
function detailsOf({ detail, problems }: Refusal): unknown {
  return problems.length > 1 ? { ...(detail as object | null), problems } : detail;
}

/** Returns the output as structured content, and as text for clients without it (2025-03-26). */
export function structuredReply(output: object): Reply {
  const text = JSON.stringify(output);
  const content = `[{"type":"text","text":${JSON.stringify(text)}}]`;
  return { text: `{"content":${content},"structuredContent":${text}}` };
}
