import { z } from 'zod';
import { ItemCounts } from '../policies/item-counts.ts';
import { CallKind, CallLayer, CallOutcome } from '../limits/schema.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { PageQuery, pageOf } from '../platform/http/pages.ts';
import { withoutNul } from '../platform/http/without-nul.ts';
import { ItemId } from '../policies/policy.ts';

const Use = z
  .object({ limit: z.int(), used: z.int(), resets_at: z.string() })
  .meta({ id: 'LimitUsage' });

/** The calls of an item. */
const ItemCalls = z
  .object({ id: z.string(), name: z.string(), calls: z.int() })
  .meta({ id: 'ItemCalls' });

export const UsageReport = z
  .object({
    windows: z.array(Use.extend({ window: z.enum(['minute', 'hour', 'day']) })),
    month: Use,
    tools: z
      .array(ItemCalls)
      .describe('This month’s calls that count towards the quota, by item, most used first.'),
  })
  .meta({ id: 'UsageReport' });
export type UsageReport = z.infer<typeof UsageReport>;

const CalledItem = z
  .object({ id: z.string().nullable(), name: z.string().nullable() })
  .meta({ id: 'CalledItem' });

export const DecidingLayer = CallLayer.nullable().meta({
  id: 'DecidingLayer',
  description: 'Layer that decided the outcome.',
});

/** Cursor of a page of calls. */
export const CallCursor = z.string().nullable().meta({
  id: 'CallCursor',
  description:
    'Null on the last page only; a filtered page scans up to 10,000 calls and may be empty.',
});

/** One call. A call without an outcome is still running, or its gateway crashed while it ran. */
export const CallRecord = z
  .object({
    id: z.guid(),
    at: z.string(),
    key: z.object({ id: z.guid(), name: z.string().optional() }).nullable(),
    kind: CallKind,
    item: CalledItem.describe('The called item; `id` is null if it does not exist.'),
    outcome: CallOutcome.nullable(),
    layer: DecidingLayer,
    duration_ms: z.int().nullable(),
    arguments: z
      .string()
      .nullable()
      .describe('JSON as sent, truncated to 4096 bytes; see `me/settings`.'),
  })
  .meta({ id: 'Call' });
export type CallRecord = z.infer<typeof CallRecord>;

export const CallPage = pageOf(CallRecord)
  .extend({
    next_cursor: CallCursor,
  })
  .meta({ id: 'CallList' });

export const CallQuery = PageQuery.extend({
  key_id: z.guid().toLowerCase().optional().describe('Only calls with this API key.'),
  item: withoutNul(z.string().min(1).max(200))
    .optional()
    .describe('Only calls to the item with this id or name.')
    .meta({ parameter: 'call_item' }),
  outcome: CallOutcome.optional()
    .describe('Only calls with this outcome.')
    .meta({ parameter: 'call_outcome' }),
  from: Timestamp.optional().describe('Start of the period, inclusive; a timestamp of RFC 3339.'),
  to: Timestamp.optional().describe('End of the period, exclusive; a timestamp of RFC 3339.'),
});
export type CallQuery = z.infer<typeof CallQuery>;

export const KeyParams = z.object({ key_id: ItemId.describe('Id of the API key.') });

export const KeyCall = CallRecord.omit({ key: true })
  .extend({
    item: CallRecord.shape.item.describe(
      'The called item; null if it does not exist, or belongs to an organization or a team that you are not in now, or to your own space in an organization.',
    ),
  })
  .meta({ id: 'KeyCall' });
export type KeyCall = z.infer<typeof KeyCall>;

export const KeyCallPage = pageOf(KeyCall)
  .extend({ next_cursor: CallPage.shape.next_cursor })
  .meta({ id: 'KeyCallList' });

export const KeyCallQuery = CallQuery.omit({ key_id: true });
export type KeyCallQuery = z.infer<typeof KeyCallQuery>;

export const Dashboard = z
  .object({
    keys: z.int(),
    items: ItemCounts,
    selected_tools: z.int(),
    calls: z
      .array(z.object({ day: z.string(), calls: z.int() }))
      .describe(
        'Calls that count towards the quota, per day of the last 30 days (UTC), oldest first.',
      ),
    errors: z
      .array(CallRecord.omit({ arguments: true }))
      .describe('The latest rejected or failed calls of these days, newest first.'),
  })
  .meta({ id: 'Dashboard' });
export type Dashboard = z.infer<typeof Dashboard>;

export const AccountSettings = z
  .object({
    call_audit: z.object({
      arguments: z
        .boolean()
        .describe('Record call arguments, truncated to 4096 bytes, for 30 days; off by default.'),
    }),
  })
  .meta({ id: 'AccountSettings' });
export type AccountSettings = z.infer<typeof AccountSettings>;

/** Fields that are not sent stay unchanged. */
export const SettingsEdit = z
  .object({
    call_audit: z.object({ arguments: z.boolean().optional() }).optional(),
  })
  .meta({ id: 'AccountSettingsEdit' });
export type SettingsEdit = z.infer<typeof SettingsEdit>;
