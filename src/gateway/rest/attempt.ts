import { always } from '../../caller/once.ts';
import type { Once } from '../../caller/once.ts';
import { identifyNow } from '../../caller/read-identified.ts';
import type { Reply, Route } from '../../caller/route.ts';
import type { TableFormat } from '../../caller/table.ts';
import type { Idempotency } from '../../idempotency/idempotency.ts';
import type { Decided, Decision, Decisions, Sender } from './decisions.ts';
import type { Reauthenticate } from './reauthentication.ts';
import type { SendWith } from './sent-requests.ts';
import { tableReply } from './table-reply.ts';

/** Input of a request; `params` is undefined if the path contains an invalid id. */
type HandlerInput = Omit<
  Parameters<Route['handle']>[0],
  'caller' | 'reauthentication' | 'authorizeAgain' | 'send'
>;
/** `format` is null for JSON, which the handler builds. */
export type FormattedInput = HandlerInput & { format: TableFormat | null };

/** The `Idempotency-Key` of a request that creates something, and the body that it belongs to. */
export interface Repeatable {
  key: string;
  body: unknown;
}

/** A request to be decided and handled. */
export interface Attempt extends Decided {
  input: FormattedInput & { reauthenticate: Reauthenticate; sendWith: SendWith };
  /** Null if it has no key. */
  repeatable: Repeatable | null;
}

export interface AttemptsDependencies {
  idempotency: Pick<Idempotency, 'run'>;
  decisions: Pick<Decisions, 'decide'>;
}

export function createAttempts({ idempotency, decisions }: AttemptsDependencies) {
  /** Calls the handler, on a decision that still stands. */
  async function handle(request: Attempt, { caller, reauthentication }: Decision): Promise<Reply> {
    const { route, repeatable, until } = request;
    const { reauthenticate: _, sendWith, ...input } = request.input;
    const send = sendWith({ ...input, until });
    const authorizeAgain = async () =>
      (await decisions.decide(request, await identifyNow(request.identify))).caller;
    const run = async (once: Once) => {
      const facts = { ...input.request, once };
      const decided = { caller, reauthentication, authorizeAgain, send };
      return respond(route, { ...input, ...decided, request: facts });
    };
    if (repeatable === null || caller === null) return run(always);
    return idempotency.run({ ...repeatable, route, caller, params: input.params, until }, run);
  }

  return {
    handle,
    /** Decides, then calls the handler. */
    attempt: async (request: Attempt, sender: Sender): Promise<Reply> =>
      handle(request, await decisions.decide(request, sender)),
  };
}
export type Attempts = ReturnType<typeof createAttempts>;

/** Calls the handler; for a file, reads the list instead. */
function respond(
  route: Route,
  { format, ...input }: Parameters<Route['handle']>[0] & Pick<FormattedInput, 'format'>,
): Promise<Reply> | Reply {
  if (format === null || route.table === undefined) return route.handle(input);
  const fairnessKey = input.caller?.quota_owner.id ?? '';
  return tableReply(route.table, format, route.table.pages(input), fairnessKey);
}
