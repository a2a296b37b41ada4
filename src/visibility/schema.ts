import { z } from 'zod';

/** Why an item is hidden, in words a program can tell apart. */
export const HiddenReason = z.enum([
  'not_connected',
  'capability_missing',
  'not_selected',
  'held',
  'not_exposed',
  'key_policy',
  'permission_missing',
]);
export type HiddenReason = z.infer<typeof HiddenReason>;
