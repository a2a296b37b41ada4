import { queryOptions } from '@tanstack/react-query';
import type { ConnectionRecord } from '../../../content/upstreams/oauth/schema.ts';
import { request } from '../../api/request.ts';

/** A server, by the prefix of its space in the REST API. */
export interface ConnectedServer {
  api: string;
  id: string;
}

const urlOf = ({ api, id }: ConnectedServer) => `${api}/upstreams/${id}`;

/** The account that is connected at a server: that of the space, or the person's own. */
export const connectionQuery = (server: ConnectedServer) =>
  queryOptions({
    queryKey: ['content', urlOf(server), 'connection'],
    queryFn: ({ signal }) => request<ConnectionRecord>(`${urlOf(server)}/connection`, { signal }),
  });

const BEGUN = 'connect-server';

interface Begun extends ConnectedServer {
  state: string | null;
  /** The page that began it. */
  back: string;
}

/** Leaves for the authorization server, which sends the browser back to the page that completes it. */
export async function connectServer(server: ConnectedServer): Promise<void> {
  const { authorization_url } = await request<{ authorization_url: string }>(
    `${urlOf(server)}/connect`,
    { method: 'POST' },
  );
  const begun: Begun = {
    ...server,
    state: new URL(authorization_url).searchParams.get('state'),
    back: `${location.pathname}${location.search}`,
  };
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  location.assign(authorization_url);
}

/** Completes what this tab began; null if it began nothing with this state. */
export async function completeConnection(fragment: string): Promise<Begun | null> {
  const response = Object.fromEntries(new URLSearchParams(fragment));
  const begun = JSON.parse(sessionStorage.getItem(BEGUN) ?? 'null') as Begun | null;
  if (begun === null || begun.state !== response['state']) return null;
  sessionStorage.removeItem(BEGUN);
  await request(`${urlOf(begun)}/connection`, { method: 'PUT', body: response });
  return begun;
}

/** Deletes the tokens. */
export const disconnectServer = (server: ConnectedServer) =>
  request<void>(`${urlOf(server)}/connection`, { method: 'DELETE' });

export const approveIssuer = (server: ConnectedServer, issuer: string) =>
  request<unknown>(`${urlOf(server)}/approve-issuer`, { body: { issuer } });
