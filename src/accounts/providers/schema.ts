import { z } from 'zod';

/** Why a sign-in at a provider came to nothing; the page `/sign-in/refused` has words for each. */
export const refusedReasons = [
  'denied',
  'expired',
  'provider_unavailable',
  'linked_elsewhere',
  'link_in_session',
  'rate_limited',
  'sso_required',
  'failed',
] as const;
export type RefusedReason = (typeof refusedReasons)[number];

export const ProviderId = z.object({ provider: z.string().max(64) });

export const ProviderList = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string() })),
  next_cursor: z.null(),
});
export type ProviderList = z.infer<typeof ProviderList>;

// A person is on their way here: what does not fit is left out rather than answered with JSON.
const text = (longest: number) => z.string().max(longest).optional().catch(undefined);

const LONGEST_PATH = 2_048;
const whereTo = 'Where on the dashboard to go afterwards.';
/** Of a page that asks; one that sends a person here writes it into their address. */
export const ReturnPath = z.string().max(LONGEST_PATH).optional().describe(whereTo);
export const Start = z.object({ return_path: text(LONGEST_PATH).describe(whereTo) });
export type Start = z.infer<typeof Start>;

/** What a provider's redirect may carry; all else in it is ignored. */
export const Callback = z.object({
  state: text(512),
  code: text(4_096),
  iss: text(2_048),
  error: text(256),
});
export type Callback = z.infer<typeof Callback>;
