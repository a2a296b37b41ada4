import { z } from 'zod';
import { Provider } from '../providers/schema.ts';
import { CaptchaProvider } from '../captcha/schema.ts';

/** Facts about the service for pages that are shown before sign-in; none is about a tenant. */
export const ServiceInfo = z
  .object({
    version: z.string().describe('Version of the service.'),
    public_url: z.string().describe('URL that all paths of this reference are below.'),
    captcha: z
      .object({ provider: CaptchaProvider, site_key: z.string().nullable() })
      .describe('CAPTCHA of public forms; `altcha` has no site key.'),
    providers: z
      .array(Provider)
      .describe('Third-party providers to sign in with, in display order.'),
    passkeys: z
      .boolean()
      .describe('Whether browsers accept passkeys for the host of the dashboard.'),
    registration_open: z.boolean().describe('Whether anyone may create an account.'),
    local_mail_url: z
      .string()
      .nullable()
      .describe('Where a local start shows the e-mails it would send; null elsewhere.'),
    first_run: z.boolean().describe('True until the first account is created.'),
  })
  .meta({ id: 'ServiceInfo' });
export type ServiceInfo = z.infer<typeof ServiceInfo>;
