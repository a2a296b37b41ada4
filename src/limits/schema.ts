import { z } from 'zod';

export const CallKind = z.enum(['tool_call', 'system_call', 'content_read']);
export type CallKind = z.infer<typeof CallKind>;

/** How a call ended: it ran, successfully or not, or was refused before it ran. */
export const CallOutcome = z.enum([
  'ok',
  'tool_error',
  'failed',
  'timed_out',
  'cancelled',
  'refused',
]);
export type CallOutcome = z.infer<typeof CallOutcome>;

/** What decided the outcome: `ok`, the tool itself, or the check that refused the call. */
export const CallLayer = z.enum([
  'ok',
  'tool',
  // The credential was revoked while the call waited.
  'credential',
  'capability',
  'absent',
  'selection',
  'policy',
  'arguments',
  'limit',
  'session',
  // A part of the service was unavailable.
  'service',
]);
export type CallLayer = z.infer<typeof CallLayer>;
