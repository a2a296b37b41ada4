import { forbidden } from '../../platform/errors/refusal.ts';

/** Creates the refusal of a call without the Tools capability, whatever tool it names. */
export const toolsDenied = () =>
  forbidden('capability_denied', 'This credential does not have the Tools capability.');
