import type { Route } from '../caller/route.ts';
import { connectionRoutes } from './connections/routes.ts';
import { domainRoutes } from './domains/routes.ts';
import { enforcementRoutes } from './enforcement/routes.ts';
import { samlRoutes } from './saml/routes.ts';
import { signInRoutes } from './sign-in/routes.ts';
import type { Sso } from './sso.ts';

export const ssoRoutes = (sso: Sso): Route[] => [
  ...enforcementRoutes(sso.enforcement),
  ...connectionRoutes(sso.connections, sso.test),
  ...domainRoutes(sso.domains),
  ...signInRoutes(sso),
  ...samlRoutes(sso),
];
