import type { Route } from '../caller/route.ts';
import type { Accounts } from './accounts.ts';
import { captchaRoutes } from './captcha/routes.ts';
import { passwordRoutes } from './passwords/routes.ts';
import { deletionRoutes } from './deletion/routes.ts';
import { exportRoutes } from './export/routes.ts';
import { emailChangeRoutes } from './email-change/routes.ts';
import { identityRoutes } from './identities/routes.ts';
import { profileRoutes } from './profile/routes.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { providerRoutes } from './providers/routes.ts';
import { registrationRoutes } from './registration/routes.ts';
import { secondFactorRoutes } from './second-factor/routes.ts';
import { serviceRoutes } from './service/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { signInRoutes } from './sign-in/routes.ts';

export const accountRoutes = (accounts: Accounts): Route[] => [
  ...serviceRoutes(accounts),
  ...captchaRoutes(accounts),
  ...registrationRoutes(accounts),
  ...signInRoutes(accounts),
  ...secondFactorRoutes(accounts),
  ...passkeyRoutes(accounts),
  ...sessionRoutes(accounts),
  ...passwordRoutes(accounts),
  ...providerRoutes(accounts),
  ...identityRoutes(accounts),
  ...profileRoutes(accounts),
  ...emailChangeRoutes(accounts),
  ...exportRoutes(accounts),
  ...deletionRoutes(accounts),
];
