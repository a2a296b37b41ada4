import { wholeList } from '../../platform/http/pages.ts';
import { z } from 'zod';

/** Reasons why a third-party sign-in failed; the page `/sign-in/refused` has a message for each. */
export const refusedReasons = [
  'denied',
  'expired',
  'provider_unavailable',
  'linked_elsewhere',
  'link_in_session',
  'rate_limited',
  'sso_required',
  'outside_domain',
  'account_not_linked',
  'not_joined',
  'failed',
] as const;
export type RefusedReason = (typeof refusedReasons)[number];

export const ProviderId = z.object({
  provider: z.string().max(64).describe('Id of the provider.').meta({ parameter: 'provider_id' }),
});

/** A third-party provider that people sign in with. */
export const Provider = z
  .object({ id: z.string().meta({ examples: ['github'] }), name: z.string() })
  .meta({ id: 'Provider' });
export const ProviderList = wholeList(Provider).meta({ id: 'ProviderList' });
export type ProviderList = z.infer<typeof ProviderList>;

// This is a browser navigation: invalid parameters are dropped, not answered with a JSON error.
const text = (maxLength: number) => z.string().max(maxLength).optional().catch(undefined);

const MAX_PATH_LENGTH = 2_048;
const pathDescription = 'Path to return to: of a request at /oauth/consent, or on the dashboard.';
/** Return path in a request body, where an invalid one is rejected; `Start` drops it instead. */
export const ReturnPath = z.string().max(MAX_PATH_LENGTH).optional().describe(pathDescription);
export const Start = z.object({ return_path: text(MAX_PATH_LENGTH).describe(pathDescription) });
export type Start = z.infer<typeof Start>;

/** Parameters of a provider's redirect; others are ignored. */
export const Callback = z.object({
  state: text(512).describe('State of the sign-in, as sent to the provider.'),
  code: text(4_096)
    .describe('Authorization code of the provider.')
    .meta({ parameter: 'provider_code' }),
  iss: text(2_048).describe('Issuer of the response (RFC 9207), if the provider sends it.'),
  error: text(256)
    .describe('Error code of the provider, instead of `code`.')
    .meta({ parameter: 'provider_error' }),
});
export type Callback = z.infer<typeof Callback>;
