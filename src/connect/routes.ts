import { EventStream } from '../caller/events.ts';
import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import type { ConnectEvents } from './connect-events.ts';

/** The route of the Connect page, which waits for the first request of a credential. */
export const connectRoutes = ({ watch }: Pick<ConnectEvents, 'watch'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/connect/events',
    access: { interactive: 'manage_keys' },
    operation_id: 'watchRequests',
    summary: 'Watch your credentials’ requests',
    description:
      'Streams `request` when one of your keys or connections was used over MCP, and `discovery_without_credential` when a client at your address sent none.',
    tag: 'API keys',
    responses: { 200: EventStream },
    long_reply: 'events',
    handle: async ({ caller, request }) => ({
      ...ok(undefined),
      events: (ended) => watch({ account_id: caller.person, address: request.address }, ended),
    }),
  }),
];
