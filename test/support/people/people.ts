import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Challenge } from 'altcha-lib/types';
import { solveCaptcha } from '../../../src/cli/solve-captcha.ts';
import { requireDeclared } from './declared-answers.ts';
import type { ReceivedEmail } from './mailbox.ts';
import type { Gateway, World } from '../worlds/world.ts';

/** A response as the client read it. */
export interface Answer<Body = Record<string, never>> {
  status: number;
  body: Body;
  headers: Headers;
  /** Cookie values by name, from `Set-Cookie`. */
  cookies: Map<string, string>;
}

export interface SendRequest {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Set for responses that list test tools, which do not match the declared schema. */
  isUndeclared?: boolean;
}

/** A client with its own address; acts as a browser page of `url` by default. */
export interface Person {
  url: string;
  address: string;
  ask<Body = never>(request: SendRequest): Promise<Answer<Body>>;
  /** Solves a challenge and returns its token. */
  captcha(): Promise<string>;
  register(change?: Record<string, unknown>): Promise<Answer>;
}

export const goodPassword = 'lantern orbit velvet 42';
export const newEmail = (name = 'ada') => `${name}-${randomUUID().slice(0, 12)}@example.com`;

/** Gives each person their own address, so that rate limits affect only tests about them. */
export const ownAddresses = { TRUSTED_PROXIES: '127.0.0.0/8' };

/** One public address for all gateways of a world, so that a session works on each of them. */
export const oneAddress = { ...ownAddresses, PUBLIC_URL: 'http://localhost:7070' };

export function createPerson(url: string, address = randomAddress()): Person {
  async function ask<Body>(request: SendRequest): Promise<Answer<Body>> {
    const { method, path, body, headers, isUndeclared = false } = request;
    const verb = method ?? (body === undefined ? 'GET' : 'POST');
    const response = await fetch(`${url}${path}`, {
      method: verb,
      headers: {
        'x-forwarded-for': address,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status } = response;
    // A stream of events may never end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    if (!isUndeclared && !isStream)
      await requireDeclared(url, { method: verb, path, status, text });
    return {
      status,
      body: text === '' ? undefined : JSON.parse(text),
      headers: response.headers,
      cookies: readCookies(response.headers.getSetCookie()),
    };
  }

  async function captcha(): Promise<string> {
    // On a busy machine the first connection may time out; 503 asks the client to retry.
    for (let tries = 0; ; tries += 1) {
      const { status, body } = await ask<Challenge>({ path: '/api/auth/captcha' });
      if (status === 200) return solveCaptcha(body);
      if (status !== 503 || tries === 10)
        throw new Error(`captcha: ${status} ${JSON.stringify(body)}`);
      await setTimeout(500);
    }
  }

  return {
    url,
    address,
    ask,
    captcha,
    register: async (change = {}) =>
      ask({
        path: '/api/auth/register',
        body: {
          email: newEmail(),
          password: goodPassword,
          first_name: 'Ada',
          last_name: 'Lovelace',
          locale: 'en',
          ...('captcha_token' in change ? {} : { captcha_token: await captcha() }),
          ...change,
        },
      }),
  };
}

/** Returns the token of the link in an e-mail. */
export const tokenOf = (email: ReceivedEmail): string => {
  const token = /#token=([A-Za-z0-9_-]+)/.exec(email.text)?.[1];
  if (token === undefined) throw new Error(`no link in: ${email.text}`);
  return token;
};

export interface SignedUp {
  person: Person;
  email: string;
  password: string;
  account_id: string;
  access_token: string;
  cookies: Map<string, string>;
  /** Authorization header of this session. */
  bearer: { authorization: string };
}

interface SessionBody {
  access_token: string;
  user: { id: string };
}

/** Registers, verifies the e-mail address and signs in, all over HTTP. */
export async function signUp(
  { mailbox }: Pick<World, 'mailbox'>,
  { url }: Pick<Gateway, 'url'>,
  name = 'ada',
  email = newEmail(name),
): Promise<SignedUp> {
  const person = createPerson(url);
  const registered = await person.register({ email });
  if (registered.status !== 201)
    throw new Error(`registration: ${registered.status} ${JSON.stringify(registered.body)}`);
  const token = tokenOf(await mailbox.next(email));
  await person.ask({ path: '/api/auth/verify-email', body: { token } });
  return signInAs({ person, email, password: goodPassword });
}

/** Signs in with the password: access tokens last 15 minutes. */
export async function signInAs({
  person,
  email,
  password,
}: Pick<SignedUp, 'person' | 'email' | 'password'>): Promise<SignedUp> {
  const { body, cookies } = await person.ask<SessionBody>({
    path: '/api/auth/login',
    body: { email, password },
  });
  return {
    person,
    email,
    password,
    account_id: body.user.id,
    access_token: body.access_token,
    cookies,
    bearer: { authorization: `Bearer ${body.access_token}` },
  };
}

/** Selects exactly these built-in tools by name. */
export async function selectTools(
  { person, bearer }: SignedUp,
  names: readonly string[],
): Promise<void> {
  const catalog = await person.ask<{ data: { id: string; name: string }[] }>({
    path: '/api/catalog/tools?limit=200',
    headers: bearer,
    // Tools of the MCP suites have no output schema.
    isUndeclared: true,
  });
  const tools = names.map((name) => catalog.body.data.find((tool) => tool.name === name)?.id);
  const saved = await person.ask({
    method: 'PUT',
    path: '/api/me/mcp-settings',
    body: { tools, platform_prompts: [] },
    headers: bearer,
  });
  if (saved.status !== 200) throw new Error(`selection: ${JSON.stringify(saved)}`);
}

/** Creates a key, with the Tools capability by default. */
export async function createKey(
  { person, bearer }: SignedUp,
  change: Record<string, unknown> = {},
): Promise<{ id: string; secret: string }> {
  const created = await person.ask<{ id: string; secret: string }>({
    path: '/api/keys',
    body: { name: `key ${randomUUID()}`, mcp_capabilities: ['tools'], ...change },
    headers: bearer,
  });
  if (created.status !== 201) throw new Error(`key: ${JSON.stringify(created)}`);
  return created.body;
}

/** Returns the statuses sorted, for concurrent requests whose order is arbitrary. */
export const sortedStatuses = (answers: readonly { status: number }[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

const randomAddress = () => {
  const part = () => 1 + Math.floor(Math.random() * 250);
  return `10.${part()}.${part()}.${part()}`;
};

const readCookies = (lines: readonly string[]) =>
  new Map(
    lines.map((line): [string, string] => {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
