import type { Log } from '../../platform/observability/log.ts';
import { stillAuthorized } from './authorization.ts';
import type { Call, Era, Reply } from './call.ts';
import { failureReply, methodNotFound } from './errors.ts';

/** Handler of a method; throws a `Refusal` or `ProtocolFailure` for an expected error. */
export type Method = (call: Call) => Promise<Reply> | Reply;

/** Handlers by method name; a few methods are handled before the dispatch, such as `initialize`. */
export type Methods = Readonly<Record<string, Method>>;

export interface Dispatch {
  /** Handles one request; never throws or rejects. */
  (call: Call): Promise<Reply>;
  /** Returns whether the method exists in that protocol version. */
  has(method: string, era: Era): boolean;
}

export interface DispatchDependencies {
  methods: Readonly<Record<Era, Methods>>;
  log: Log;
}

/**
 * Creates the dispatch; permissions never depend on the protocol version of a request. Methods start
 * with recent authorization, whatever the request has waited for.
 */
export function createDispatch({ methods, log }: DispatchDependencies): Dispatch {
  const tables = {
    2025: new Map(Object.entries(methods[2025])),
    2026: new Map(Object.entries(methods[2026])),
  };

  async function dispatch(call: Call): Promise<Reply> {
    const method = tables[call.era].get(call.method);
    if (method === undefined) return { error: methodNotFound };
    try {
      return await method(await stillAuthorized(call));
    } catch (error) {
      return failureReply(error, call, log);
    }
  }

  return Object.assign(dispatch, {
    has: (method: string, era: Era) => tables[era].has(method),
  });
}
