import { ToolFailure } from '../tool-failure.ts';

export type ExpressionFault = 'syntax' | 'division_by_zero' | 'undefined' | 'unsupported' | 'limit';

/** Creates the only error of the calculator; `details.reason` gives the cause. */
export const invalidExpression = (reason: ExpressionFault, message: string, position?: number) =>
  new ToolFailure(
    'invalid_expression',
    position === undefined ? message : `${message} (at character ${position + 1})`,
    position === undefined ? { reason } : { reason, position: position + 1 },
  );
