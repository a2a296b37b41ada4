import type { Route } from '../caller/route.ts';
import { domainRoutes } from './domains/routes.ts';
import type { Sso } from './sso.ts';

export const ssoRoutes = ({ domains }: Sso): Route[] => [...domainRoutes(domains)];
