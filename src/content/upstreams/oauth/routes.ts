import { authorityOf } from '../../../caller/actor.ts';
import { defineRoute, noContent, ok, redirect } from '../../../caller/route.ts';
import type { NamedRequest, Route } from '../../../caller/route.ts';
import { oneIn, operationName, pathParams, tagName } from '../../spaces/mount.ts';
import type { Mount, MountedRequest } from '../../spaces/mount.ts';
import { UpstreamParams, UpstreamRecord } from '../schema.ts';
import type { UpstreamOAuth } from './oauth.ts';
import {
  AuthorizationResponse,
  AuthorizationStart,
  ClientDocument,
  ConnectionRecord,
  IssuerApproval,
  RedirectParameters,
} from './schema.ts';

const TAG = 'Upstreams';
/** Time limit of connecting: discovery and registration take several requests. */
const CONNECT_MS = 45_000;

export interface OAuthRouteParts {
  oauth: UpstreamOAuth;
  getUpstream(space_id: string, id: string): Promise<UpstreamRecord>;
}

/** Routes with which people connect accounts at upstreams; only sessions have access. */
export const oauthRoutes = (parts: OAuthRouteParts, mount: Mount): Route[] => [
  ...connectRoutes(parts.oauth, mount),
  ...connectionRoutes(parts.oauth, mount),
  approvalRoute(parts, mount),
];

const pathOf = (mount: Mount, rest: string) => `${mount.path}/upstreams/{id}/${rest}`;

/** What the routes have in common. */
const sharedBy = (oauth: UpstreamOAuth, mount: Mount) => ({
  tag: tagName(mount, TAG),
  params: pathParams(mount, UpstreamParams),
  // Everyone of the space may connect their own account; the handlers require more for a shared one.
  access: mount.interactive('see'),
  object: async ({ caller, params }: MountedRequest<{ id: string }>) =>
    oauth.get((await mount.spaceOf({ caller, params })).id, params.id),
});

type MayRequest = (request: NamedRequest) => Promise<boolean>;
const mayManage = (mount: Mount, params: object, mayRequest: MayRequest) => () =>
  mayRequest({ operation_id: operationName(mount, 'updateUpstream'), params });

const connectRoutes = (oauth: UpstreamOAuth, mount: Mount): Route[] => [
  defineRoute({
    ...sharedBy(oauth, mount),
    method: 'POST',
    path: pathOf(mount, 'connect'),
    operation_id: operationName(mount, 'connectUpstream'),
    summary: `Connect ${oneIn(mount, 'upstream')}`,
    description:
      'Begins an authorization, which only this session can complete. A shared account requires the permission to change tools.',
    responses: { 200: AuthorizationStart },
    errors: {
      409: ['issuer_changed'],
      422: ['secret_unreadable', 'upstream_authorization_failed', 'upstream_client_missing'],
      429: ['rate_limited'],
    },
    within_ms: CONNECT_MS,
    async handle({ caller, params, mayRequest }) {
      const space = await mount.spaceOf({ caller, params });
      return ok(
        await oauth.connect(caller, space, params.id, mayManage(mount, params, mayRequest)),
      );
    },
  }),
  defineRoute({
    ...sharedBy(oauth, mount),
    method: 'PUT',
    path: pathOf(mount, 'connection'),
    operation_id: operationName(mount, 'completeUpstreamConnection'),
    summary: `Complete ${oneIn(mount, 'upstream')} connection`,
    description: 'Redeems the parameters with which the authorization server redirected, once.',
    body: AuthorizationResponse,
    responses: { 200: ConnectionRecord },
    errors: {
      422: ['authorization_expired', 'secret_unreadable', 'upstream_authorization_failed'],
    },
    async handle({ caller, params, body, request, mayRequest, authorizeAgain }) {
      const space = await mount.spaceOf({ caller, params });
      const authority = {
        authority: authorityOf(caller, request),
        renew: async () => authorityOf(await authorizeAgain(), request),
        mayManage: mayManage(mount, params, mayRequest),
      };
      return ok(await oauth.complete(caller, { space, id: params.id, response: body }, authority));
    },
  }),
];

const connectionRoutes = (oauth: UpstreamOAuth, mount: Mount): Route[] => [
  defineRoute({
    ...sharedBy(oauth, mount),
    method: 'GET',
    path: pathOf(mount, 'connection'),
    operation_id: operationName(mount, 'getUpstreamConnection'),
    summary: `Get ${oneIn(mount, 'upstream')} connection`,
    responses: { 200: ConnectionRecord },
    async handle({ caller, params, mayRequest }) {
      const { id } = await mount.spaceOf({ caller, params });
      return ok(
        await oauth.connection(caller, id, params.id, mayManage(mount, params, mayRequest)),
      );
    },
  }),
  defineRoute({
    ...sharedBy(oauth, mount),
    method: 'DELETE',
    path: pathOf(mount, 'connection'),
    operation_id: operationName(mount, 'disconnectUpstream'),
    summary: `Disconnect ${oneIn(mount, 'upstream')}`,
    description: 'Deletes the tokens, and revokes them at the authorization server.',
    responses: { 204: null },
    async handle({ caller, params, request, mayRequest }) {
      const space = await mount.spaceOf({ caller, params });
      await oauth.disconnect(
        caller,
        { space, id: params.id },
        {
          authority: authorityOf(caller, request),
          mayManage: mayManage(mount, params, mayRequest),
        },
      );
      return noContent();
    },
  }),
];

const approvalRoute = ({ oauth, getUpstream }: OAuthRouteParts, mount: Mount): Route =>
  defineRoute({
    ...sharedBy(oauth, mount),
    method: 'POST',
    path: pathOf(mount, 'approve-issuer'),
    access: mount.interactive('tools_update'),
    operation_id: operationName(mount, 'approveUpstreamIssuer'),
    summary: `Approve ${oneIn(mount, 'upstream')} issuer`,
    description: 'Ends what was connected through another one, and forgets the client there.',
    body: IssuerApproval,
    responses: { 200: UpstreamRecord },
    async handle({ caller, params, body, request }) {
      const space = await mount.spaceOf({ caller, params });
      const { issuer } = body;
      await oauth.approveIssuer({ space, id: params.id, issuer }, authorityOf(caller, request));
      return ok(await getUpstream(space.id, params.id));
    },
  });

/** Addresses of the gateway that authorization servers use. */
export const oauthClientRoutes = (oauth: UpstreamOAuth): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/upstream-oauth/callback',
    access: 'public',
    operation_id: 'completeUpstreamRedirect',
    is_callback: true,
    summary: 'Complete an authorization redirect',
    description: 'Redirects the browser to the dashboard, which completes the connection.',
    tag: TAG,
    query: RedirectParameters,
    responses: { 302: null },
    handle: ({ query }) => redirect(oauth.returnUrl(query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/upstream-oauth/client',
    access: 'public',
    operation_id: 'getUpstreamClient',
    summary: 'Get the client metadata document',
    description: 'Authorization servers of upstreams read it, since its address is the client id.',
    tag: TAG,
    responses: { 200: ClientDocument },
    errors: { 404: ['not_found'] },
    handle: () => ok(oauth.clientDocument()),
  }),
];
