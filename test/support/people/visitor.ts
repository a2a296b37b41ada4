import { requireDeclared } from './declared-answers.ts';
import { createPerson } from './people.ts';
import type { Person, SignedUp } from './people.ts';

/** One response to a browser that follows redirects step by step. */
export interface Step {
  status: number;
  /** The redirect target. */
  location: string;
  body: string;
  setCookie: string[];
}

/** A browser with its own cookie jar and address. */
export interface Visitor {
  person: Person;
  /** Cookies by name; each is sent only below its path. */
  jar: Map<string, { value: string; path: string }>;
  /** Requests one page of the service, without following a redirect. */
  go(location: string): Promise<Step>;
  /** Signs in at a provider and returns the URL it redirects back to. */
  signInAtProvider(provider: string, query?: string): Promise<string>;
  /** Completes the sign-in, including the redirect back. */
  signIn(provider: string, query?: string): Promise<Step>;
}

/** Creates a browser in which a person is signed in. */
export function createBrowserOf(url: string, { cookies }: Pick<SignedUp, 'cookies'>): Visitor {
  const visitor = createVisitor(url);
  for (const [name, value] of cookies) visitor.jar.set(name, { value, path: '/' });
  return visitor;
}

export function createVisitor(url: string, headers: Record<string, string> = {}): Visitor {
  const person = createPerson(url);
  const jar: Visitor['jar'] = new Map();

  async function go(location: string): Promise<Step> {
    const { pathname, search } = new URL(location, url);
    const cookie = [...jar]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(`${url}${pathname}${search}`, {
      redirect: 'manual',
      headers: { 'x-forwarded-for': person.address, ...(cookie ? { cookie } : {}), ...headers },
    });
    const setCookie = response.headers.getSetCookie();
    for (const line of setCookie) storeCookie(line);
    const body = await response.text();
    const { status } = response;
    await requireDeclared(url, { method: 'GET', path: pathname, status, text: body });
    return { status, location: locationOf(response), body, setCookie };
  }

  function storeCookie(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; Path=([^;]+)/i.exec(line)?.[1] ?? '/';
    if (/; Max-Age=0(?:;|$)/i.test(line)) jar.delete(name);
    else jar.set(name, { value, path });
  }

  async function signInAtProvider(provider: string, query = ''): Promise<string> {
    const start = await go(`/api/auth/oauth/${provider}${query}`);
    return followProvider(start.location);
  }

  return {
    person,
    jar,
    go,
    signInAtProvider,
    signIn: async (provider, query) => go(await signInAtProvider(provider, query)),
  };
}

/**
 * Requests the provider's page as a user already signed in there; returns the URL it redirects to.
 */
export async function followProvider(location: string): Promise<string> {
  const response = await fetch(location, { redirect: 'manual' });
  await response.body?.cancel();
  return locationOf(response);
}

const locationOf = (response: Response) => response.headers.get('location') ?? '';
