import { z } from 'zod';

/** Machine-readable reasons why an item is hidden. */
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
