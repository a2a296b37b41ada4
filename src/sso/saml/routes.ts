import { replyToCallback } from '../../accounts/providers/providers.ts';
import { defineRoute, seeOther } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Sso } from '../sso.ts';
import { Finish, MAX_FORM_BYTES, PostedResponse, SamlParams } from './schema.ts';

/** Routes of a sign-in with SAML, from the identity provider's response on. */
export const samlRoutes = ({ signIn, cookies }: Pick<Sso, 'signIn' | 'cookies'>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/sso/{connection_id}/acs',
    access: 'public',
    operation_id: 'verifySamlResponse',
    is_callback: true,
    summary: 'Receive a SAML response',
    description:
      'The page of the identity provider posts the response here as a form. The browser continues at the route that completes the sign-in.',
    tag: 'Sign-in',
    params: SamlParams,
    body: PostedResponse,
    form_bytes: MAX_FORM_BYTES,
    responses: { 303: null },
    async handle({ params, body, request }) {
      const { SAMLResponse: response, RelayState: state } = body;
      const posted = { ...params, response, state };
      return seeOther((await signIn.receive(posted, request)).location);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/sso/{connection_id}/finish',
    access: 'public',
    operation_id: 'completeSamlSignIn',
    summary: 'Complete a SAML sign-in',
    description: 'Completes the sign-in after the response was received, or shows why it failed.',
    tag: 'Sign-in',
    params: SamlParams,
    query: Finish,
    responses: { 302: null },
    async handle({ params, query, request }) {
      const received = { ...params, handle: query.handle, cookie: request.cookies[cookies.flow] };
      return replyToCallback(cookies, await signIn.finish(received, request));
    },
  }),
];

/** The metadata of our side of each connection, for identity providers to read. */
export const samlMetadataPage = ({ samlMetadata }: Pick<Sso, 'samlMetadata'>) => ({
  path: '/api/auth/sso/{connection_id}/metadata',
  content_type: 'application/samlmetadata+xml',
  handle: async ({ params }: { params: Readonly<Record<string, string>> }) => ({
    status: 200,
    body: await samlMetadata(params['connection_id'] ?? ''),
  }),
});
