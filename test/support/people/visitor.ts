import { createPerson } from './people.ts';
import type { Person } from './people.ts';

/** One answer to a browser that goes where it is sent, step by step. */
export interface Step {
  status: number;
  /** Where it is sent next. */
  location: string;
  body: string;
  setCookie: string[];
}

/** A browser with a cookie jar and an address of its own. */
export interface Visitor {
  person: Person;
  /** By name; what has a path is sent below it alone. */
  jar: Map<string, { value: string; path: string }>;
  /** One navigation on the service. */
  go(location: string): Promise<Step>;
  /** Leaves for a provider and signs in there; answers where the provider sends it back. */
  leave(provider: string, query?: string): Promise<string>;
  /** All of it: away and back. */
  signIn(provider: string, query?: string): Promise<Step>;
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
    for (const line of setCookie) keep(line);
    const body = await response.text();
    return { status: response.status, location: locationOf(response), body, setCookie };
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; Path=([^;]+)/i.exec(line)?.[1] ?? '/';
    if (/; Max-Age=0(?:;|$)/i.test(line)) jar.delete(name);
    else jar.set(name, { value, path });
  }

  async function leave(provider: string, query = ''): Promise<string> {
    const start = await go(`/api/auth/oauth/${provider}${query}`);
    return signInThere(start.location);
  }

  return {
    person,
    jar,
    go,
    leave,
    signIn: async (provider, query) => go(await leave(provider, query)),
  };
}

/** What a provider's page does for who is signed in there already: it sends the browser back. */
export async function signInThere(location: string): Promise<string> {
  const response = await fetch(location, { redirect: 'manual' });
  await response.body?.cancel();
  return locationOf(response);
}

const locationOf = (response: Response) => response.headers.get('location') ?? '';
