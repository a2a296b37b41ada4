import type { Route } from '../caller/route.ts';
import type { TableFormat } from '../caller/table.ts';
import type { Decided } from './decisions.ts';
import type { Reauthenticate } from './reauthentication.ts';

/** Input of a request; `params` is undefined if the path contains an invalid id. */
type HandlerInput = Omit<
  Parameters<Route['handle']>[0],
  'caller' | 'reauthentication' | 'authorizeAgain'
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
  input: FormattedInput & { reauthenticate: Reauthenticate };
  /** Null if it has no key. */
  repeatable: Repeatable | null;
}
