import { OperatorError } from '../platform/errors/operator-error.ts';

/** A command that cannot do what was asked: one line that says what to do next. */
export class CommandFailure extends OperatorError {}
