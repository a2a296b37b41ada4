import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface GithubPerson {
  id: number;
  name: string | null;
  emails: { email: string; primary: boolean; verified: boolean }[];
}

/** A stub of the parts of GitHub a sign-in uses, with the paths of GitHub Enterprise Server. */
export interface GithubServer {
  url: string;
  /** The person who signs in next. */
  person: GithubPerson;
  /** Replacement responses, by path. */
  answers: Record<string, (response: ServerResponse) => void>;
  env: Record<string, string>;
  close(): Promise<void>;
}

const CLIENT = 'toolgate';
const SECRET = 'a-secret';

export async function createGithubServer(): Promise<GithubServer> {
  const codes = new Map<string, { challenge: string; person: GithubPerson }>();
  const tokens = new Map<string, GithubPerson>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', self.url);
    const override = self.answers[url.pathname];
    if (override) return override(response);
    if (url.pathname === '/login/oauth/authorize') {
      const code = randomUUID();
      const get = (name: string) => url.searchParams.get(name) ?? '';
      codes.set(code, { challenge: get('code_challenge'), person: self.person });
      const back = new URL(get('redirect_uri'));
      back.searchParams.set('code', code);
      back.searchParams.set('state', get('state'));
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    if (url.pathname === '/login/oauth/access_token')
      return void text(request).then((body) => redeem(new URLSearchParams(body), response));
    const token = request.headers.authorization?.replace(/^bearer /i, '') ?? '';
    const person = tokens.get(token);
    if (!person) return json(response, { message: 'Bad credentials' }, 401);
    const { id, name, emails } = person;
    if (url.pathname === '/api/v3/user') return json(response, { id, login: 'ada', name });
    if (url.pathname === '/api/v3/user/emails') return json(response, emails);
    return json(response, { message: 'Not Found' }, 404);
  });

  /** Redeems a code; errors are status 200 with an `error`, as on GitHub. */
  function redeem(form: URLSearchParams, response: ServerResponse): void {
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (form.get('client_id') !== CLIENT || form.get('client_secret') !== SECRET)
      return json(response, { error: 'incorrect_client_credentials' });
    if (!code || code.challenge !== challenge)
      return json(response, { error: 'bad_verification_code' });
    const access_token = `gho_${randomUUID()}`;
    tokens.set(access_token, code.person);
    return json(response, { access_token, token_type: 'bearer', scope: 'user:email' });
  }

  const self: GithubServer = {
    url: '',
    person: { id: 0, name: null, emails: [] },
    answers: {},
    env: {},
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  self.env = {
    GITHUB_CLIENT_ID: CLIENT,
    GITHUB_CLIENT_SECRET: SECRET,
    GITHUB_URL: self.url,
    OUTBOUND_ALLOW: '127.0.0.1,localhost',
  };
  return self;
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
