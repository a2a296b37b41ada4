import { OperatorError } from '../platform/errors/operator-error.ts';

/** A stack that cannot be: its message is the one line a person needs, without a trace. */
export class Unavailable extends OperatorError {
  override name = 'Unavailable';
}
