import { OperatorError } from '../src/platform/errors/operator-error.ts';

/** Error of a stack that cannot start; its one-line message is shown without a stack trace. */
export class Unavailable extends OperatorError {
  override name = 'Unavailable';
}
