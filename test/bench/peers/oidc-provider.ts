// A plain oidc-provider that stores everything in memory: the floor of the authorization server.
import { createServer } from 'node:http';
import process from 'node:process';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

const port = Number(process.env['PORT']);
const issuer = `http://127.0.0.1:${port}`;
const resource = `${issuer}/mcp`;
const [scope, accountId] = ['mcp_tools', 'person'];
const off = { enabled: false };
const { privateKey } = await generateKeyPair('RS256', { extractable: true });

const provider = new Provider(issuer, {
  clients: [
    {
      ...{ client_id: 'bench', token_endpoint_auth_method: 'none' },
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://client.example/callback'],
    },
  ],
  jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
  scopes: [scope],
  routes: { token: '/oauth/token' },
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  expiresWithSession: async () => false,
  findAccount: async (_context, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
  features: {
    ...{ devInteractions: off, userinfo: off, rpInitiatedLogout: off, dPoP: off },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: async () => true,
      getResourceServerInfo: () => ({
        ...{ scope, audience: resource, accessTokenFormat: 'jwt' as const },
        jwt: { sign: { alg: 'RS256' as const } },
      }),
    },
  },
});

/** Returns a refresh token, as the first exchange of a code would. */
async function newRefreshToken(): Promise<string> {
  const client = (await provider.Client.find('bench'))!;
  const grant = new provider.Grant({ clientId: 'bench', accountId });
  grant.addResourceScope(resource, scope);
  const grantId = await grant.save();
  const token = { client, accountId, grantId, scope, resource, gty: 'authorization_code' };
  return new provider.RefreshToken(token).save();
}

const answer = provider.callback();
const server = createServer((request, response) => {
  if (request.url === '/refresh-token') void newRefreshToken().then((token) => response.end(token));
  else void answer(request, response);
});
server.listen(port, '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
