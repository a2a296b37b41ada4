import { absent } from '../platform/refusal.ts';
import type { Call, Reply } from './call.ts';
import { invalidParams } from './errors.ts';

/**
 * `prompts/get` and `resources/read`: what a caller cannot reach answers as what is not there, and
 * nobody has prompts or resources to reach. A denial costs nothing, so no window is asked.
 */
export function readPrompt(call: Call): Reply {
  requireText(call, 'name');
  throw absent('no such prompt');
}

export function readResource(call: Call): Reply {
  requireText(call, 'uri');
  throw absent('no such resource');
}

function requireText(call: Call, field: string): void {
  const params = call.params as Readonly<Record<string, unknown>> | undefined;
  if (typeof params?.[field] !== 'string')
    throw invalidParams([{ pointer: `/${field}`, message: 'is a string' }]);
}
