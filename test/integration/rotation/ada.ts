import { expect, onTestFinished } from 'vitest';
import {
  answer,
  challenge,
  codeOf,
  forgetSteps,
  signUpGuarded,
} from '../../support/people/factors.ts';
import { createKey, createPerson, selectTools } from '../../support/people/people.ts';
import { startUpstreamServer } from '../../support/peers/upstream-server.ts';
import { startSdkV1 } from '../../support/upstreams/sdk-v1.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';

export const TOKEN = 'canary-4c1f90';
export const HEADER = 'Bearer canary-77ab31';

interface Body {
  id: string;
  header_names: string[];
  errors: { code: string; message: string }[];
}

/**
 * Signs up an account with an authenticator app, a custom tool with a secret and an upstream with a
 * header. Each action takes the gateway it uses, and returns evidence that the secret was read.
 */
export async function createAda(world: World, gateway: Gateway) {
  const http = await startUpstreamServer();
  onTestFinished(http.close);
  const mcp = await startSdkV1();
  onTestFinished(mcp.close);
  const ada = await signUpGuarded(world, gateway);
  await selectTools(ada, ['list_custom_tools']);
  const askWith =
    (access_token: string) =>
    ({ url }: Gateway, path: string, body?: unknown, method?: string) =>
      createPerson(url).ask<Body>({
        path,
        headers: { authorization: `Bearer ${access_token}` },
        ...(body === undefined ? {} : { body }),
        ...(method === undefined ? {} : { method }),
      });
  const rest = askWith(ada.access_token);
  const draft = (name: string) => ({
    name,
    kind: 'http',
    description: 'Asks a server.',
    http: { method: 'GET', url: `${http.origin}/`, headers: { 'x-token': '{{secret.TOKEN}}' } },
    secrets: { TOKEN },
  });
  const tool = await rest(gateway, '/api/me/custom-tools', draft('weather'));
  const other = await rest(gateway, '/api/me/custom-tools', draft('news'));
  const upstream = await rest(gateway, '/api/me/upstreams', {
    name: 'docs',
    url: mcp.url,
    headers: { authorization: HEADER },
  });
  expect([tool, other, upstream].map(({ status }) => status)).toEqual([201, 201, 201]);
  const { secret: key } = await createKey(ada, { mcp_capabilities: ['tools'] });

  async function callTool({ url }: Gateway, name: string, values: Record<string, unknown>) {
    const headers = { 'x-api-key': key };
    const params = { name, arguments: values };
    return (await ask(`${url}/mcp`, headers, 'tools/call', params)).body;
  }

  return {
    ...ada,
    askWith,
    tool: `/api/me/custom-tools/${tool.body.id}`,
    upstream: `/api/me/upstreams/${upstream.body.id}`,

    /** Calls the custom tool; returns the secret that its server received, or the error's code. */
    async call(at: Gateway) {
      const { structuredContent } = (await callTool(at, 'weather', {})).result;
      return structuredContent.error?.code ?? http.arrived.at(-1)!.headers['x-token'];
    },

    /** Lists the upstream's tools; returns the header that it received, or the error's code. */
    async discover(at: Gateway, { access_token } = ada as { access_token: string }) {
      const path = `/api/me/upstreams/${upstream.body.id}/tools`;
      const { status, body } = await askWith(access_token)(at, path);
      return status === 200 ? mcp.seen.at(-1)!.headers['authorization'] : body.errors[0]!.code;
    },

    /** Signs in with the given code, or with a current code from the app. */
    async signIn({ url }: Gateway, code = codeOf(ada.secret)) {
      await forgetSteps(world, ada.account_id);
      const { token } = (await challenge({ ...ada, person: createPerson(url) })).second_factor;
      return answer({ url }, { token, code });
    },

    refresh: ({ url }: Gateway, cookie: string) =>
      createPerson(url).ask<{ access_token: string }>({
        method: 'POST',
        path: '/api/auth/refresh',
        headers: { cookie: `refresh=${cookie}` },
      }),

    profile: async (at: Gateway, { access_token }: { access_token: string }) =>
      (await askWith(access_token)(at, '/api/user/profile')).status,

    /** Lists one custom tool per page; returns the cursor of the next page, or the error's code. */
    async page(at: Gateway, cursor?: string) {
      const { result, error } = await callTool(at, 'list_custom_tools', { limit: 1, cursor });
      return error?.data?.code ?? result.structuredContent['next_cursor'];
    },
  };
}
