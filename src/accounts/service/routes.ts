import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Accounts } from '../accounts.ts';
import { ServiceInfo } from './schema.ts';

const CACHED = { 'cache-control': 'public, max-age=60' };

export const serviceRoutes = ({ serviceInfo }: Pick<Accounts, 'serviceInfo'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/service',
    access: 'public',
    operation_id: 'getService',
    summary: 'Get the service’s description',
    description:
      'Returns what a sign-in page needs. May be cached for a minute once anyone has an account.',
    tag: 'Service',
    responses: { 200: ServiceInfo },
    async handle() {
      const info = await serviceInfo();
      // The first person to sign up sees the difference at once.
      return info.first_run ? ok(info) : { ...ok(info), headers: CACHED };
    },
  }),
];
