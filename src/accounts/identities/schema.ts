import { z } from 'zod';
import { CurrentPassword } from '../../caller/schema.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { ReturnPath } from '../providers/schema.ts';

/** A third-party identity that can sign in to an account. */
export const Identity = z
  .object({
    id: z.guid(),
    provider: z.string().describe('Provider id: google, github, oidc or sso.'),
    name: z.string().describe('Display name of the provider.'),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
  })
  .meta({ id: 'Identity' });
export type Identity = z.infer<typeof Identity>;
export const IdentityPage = pageOf(Identity).meta({ id: 'IdentityList' });

export const NewIdentity = z
  .object({
    provider: z.string().max(64).describe('Provider id.'),
    return_path: ReturnPath,
    current_password: CurrentPassword,
  })
  .meta({ id: 'IdentityLink' });
export type NewIdentity = z.infer<typeof NewIdentity>;
export const NewIdentityResponse = z
  .object({
    location: z.string().describe('URL of the provider’s sign-in, to which to send the browser.'),
  })
  .meta({ id: 'IdentityLinkStarted' });
