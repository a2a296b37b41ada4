import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/request.ts';
import type { DemoState, LoadedDemo } from '../../seed/demo/schema.ts';

const PATH = '/dev/demo';

/** Whether the demo can be loaded or removed; only a local start answers. */
export const demoStateQuery = queryOptions({
  queryKey: ['demo'],
  queryFn: ({ signal }) => request<DemoState>(PATH, { signal }),
  retry: false,
});

/** Loads the demo, and signs in as its owner, so that the pages it points to can be opened. */
export async function loadDemo(token: string): Promise<LoadedDemo> {
  const loaded = await request<LoadedDemo>(PATH, { body: { token } });
  const owner = loaded.passwords[0];
  if (owner !== undefined) {
    const { name: email, secret: password } = owner;
    await request('/api/auth/login', { body: { email, password } });
  }
  return loaded;
}

export const removeDemo = () => request<undefined>(PATH, { method: 'DELETE' });

let token: string | null = null;

/** Returns the token of the link, which leaves the address as soon as it was read. */
export function readToken(): string | null {
  const sent = new URLSearchParams(location.hash.slice(1)).get('token');
  if (sent === null) return token;
  history.replaceState(history.state, '', location.pathname);
  token = sent;
  return token;
}
