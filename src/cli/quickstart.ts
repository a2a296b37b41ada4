import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../platform/errors/operator-error.ts';
import { solveCaptcha } from './solve-captcha.ts';

export interface QuickstartOptions {
  /** The gateway's PUBLIC_URL. */
  url: string;
  email: string;
  /** Null: a password is generated. */
  password: string | null;
  /** Asks the user for the link in the verification e-mail if there is no `/dev/mail.json`. */
  askForLink(): Promise<string>;
  progress(line: string): void;
}

export interface Quickstart {
  email: string;
  password: string;
  key: string;
  tools: string[];
}

// Deliberately short (S8): tools every agent can try right away.
const STARTER_TOOLS = ['calculator', 'convert_units', 'current_time', 'date_arithmetic'];
const EMAIL_WAIT_MS = 30_000;

/** Performs a new user's steps one by one, through public endpoints only. */
export async function quickstart(options: QuickstartOptions): Promise<Quickstart> {
  const { email, progress } = options;
  const password = options.password ?? randomBytes(18).toString('base64url');
  const api = createApi(options.url);
  await requireGateway(api);

  progress('Solving the CAPTCHA …');
  const captcha_token = await solveCaptcha(await api('GET', '/api/auth/captcha'));
  progress(`Signing up as ${email} …`);
  const registration = { email, password, locale: 'en', captcha_token };
  const since = Date.now();
  await api('POST', '/api/auth/register', registration);
  progress('Reading the verification e-mail …');
  const token = (await readEmail(api, email, since)) ?? tokenIn(await options.askForLink());
  if (!token)
    throw new OperatorError('That is not a verification link. Copy the whole link and try again.');
  await api('POST', '/api/auth/verify-email', { token });

  progress('Signing in …');
  const session = await api<{ access_token: string }>('POST', '/api/auth/login', {
    email,
    password,
  });
  const userApi = createApi(options.url, session.access_token);
  progress('Selecting tools …');
  const tools = await selectTools(userApi);
  progress('Creating a key …');
  const draft = { name: `quickstart ${new Date().toISOString()}`, mcp_capabilities: ['tools'] };
  const { secret } = await userApi<{ secret: string }>('POST', '/api/keys', draft);
  return { email, password, key: secret, tools };
}

// Responses are trusted to match the API reference; a missing field fails where it is read.
type Api = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

function createApi(url: string, accessToken?: string): Api {
  return async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(accessToken ? { authorization: `Bearer ${accessToken}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new OperatorError(`Nothing responds at ${url}. Start the gateway with: npm start`);
    });
    const text = await response.text();
    const answer = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null;
    if (response.ok) return answer;
    const message = answer?.errors?.[0]?.message ?? `status ${response.status}`;
    throw new OperatorError(`${method} ${path}: ${message}`);
  };
}

async function requireGateway(api: Api): Promise<void> {
  const health = await api<{ status?: string } | null>('GET', '/health');
  if (health?.status !== 'healthy')
    throw new OperatorError('The server at that URL is not a healthy toolgate. Check its log.');
}

interface ShownEmail {
  to: string;
  text: string;
  at: string;
}

/** Reads the link's token from `/dev/mail.json`; null if the gateway sends real mail. */
async function readEmail(api: Api, email: string, since: number): Promise<string | null> {
  for (const until = Date.now() + EMAIL_WAIT_MS; Date.now() < until; await sleep(200)) {
    const emails = await api<ShownEmail[]>('GET', '/dev/mail.json').catch(() => null);
    if (emails === null) return null;
    const mine = emails.find(({ to, at }) => to.includes(email) && Date.parse(at) >= since - 1_000);
    const token = mine && tokenIn(mine.text);
    if (token) return token;
  }
  throw new OperatorError('The verification e-mail did not arrive. Check the gateway’s log.');
}

const tokenIn = (text: string) => /#token=([\w.-]+)/.exec(text)?.[1];

interface Tool {
  id: string;
  name: string;
}

async function selectTools(api: Api): Promise<string[]> {
  const { data } = await api<{ data: Tool[] }>('GET', '/api/catalog/tools?limit=200');
  const chosen = data.filter(({ name }) => STARTER_TOOLS.includes(name));
  await api('PUT', '/api/me/mcp-settings', {
    tools: chosen.map(({ id }) => id),
    platform_prompts: [],
  });
  return chosen.map(({ name }) => name);
}
