import type { Log } from '../../platform/observability/log.ts';
import type { Call, Era, Reply } from './call.ts';
import { failureReply, methodNotFound } from './errors.ts';

/** What a method does; an expected no is thrown as a `Refusal` or `ProtocolFailure`. */
export type Method = (call: Call) => Promise<Reply> | Reply;

/** Methods both eras have, by name; each leg adds what is its own (`initialize`, discovery). */
export type Methods = Readonly<Record<string, Method>>;

export interface Dispatch {
  /** Answers one request. Never throws, never rejects. */
  (call: Call): Promise<Reply>;
  /** Whether a method exists in that era; asked before anything else about the request. */
  knows(method: string, era: Era): boolean;
}

export interface DispatchDependencies {
  methods: Readonly<Record<Era, Methods>>;
  log: Log;
}

/** What a caller may do never depends on the leg that carried the request. */
export function createDispatch({ methods, log }: DispatchDependencies): Dispatch {
  const tables = {
    2025: new Map(Object.entries(methods[2025])),
    2026: new Map(Object.entries(methods[2026])),
  };

  async function dispatch(call: Call): Promise<Reply> {
    const method = tables[call.era].get(call.method);
    if (method === undefined) return { error: methodNotFound };
    try {
      return await method(call);
    } catch (error) {
      return failureReply(error, call, log);
    }
  }

  return Object.assign(dispatch, {
    knows: (method: string, era: Era) => tables[era].has(method),
  });
}
