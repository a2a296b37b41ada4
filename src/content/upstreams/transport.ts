import type { Client, FetchLike } from '@modelcontextprotocol/client';
import type { UpstreamAddress } from './address.ts';

const MAX_RESPONSES = 100;
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

// Longer than an idle connection lives.
const MAX_RECONNECTION_MS = 60_000;

export type UpstreamTransport = Awaited<ReturnType<typeof createTransport>>;

/** Creates the SDK's transport, which sends the headers of the upstream with every request. */
export async function createTransport(
  { url, headers }: UpstreamAddress,
  fetch: FetchLike,
  markStale: () => void,
) {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch,
    requestInit: { headers: { ...headers } },
    reconnectionOptions: RECONNECTION,
    // The server chooses the delay: `retry: 0`, or more than a timer takes, which Node.js reads as a
    // millisecond, would mean reconnecting in a loop.
    reconnectionScheduler: (reconnect, delay) => {
      const { initialReconnectionDelay: min } = RECONNECTION;
      const timer = setTimeout(reconnect, Math.min(Math.max(delay, min), MAX_RECONNECTION_MS));
      return () => clearTimeout(timer);
    },
  });
  const send = transport.send.bind(transport);
  let responses = 0;
  // Limits our responses to the upstream's requests (errors, except for a ping): after
  // `MAX_RESPONSES` no more are sent, and the connection becomes stale.
  transport.send = async (message, options) => {
    if (!('method' in message) && (responses += 1) > MAX_RESPONSES) return markStale();
    return send(message, options);
  };
  return transport;
}

/** Closes the connection; first terminates the session at the upstream, within one second. */
export async function close(
  client: Client,
  transport: { sessionId: string | undefined; terminateSession(): Promise<void> },
): Promise<void> {
  if (transport.sessionId !== undefined) {
    const ended = transport.terminateSession().catch(() => {});
    await Promise.race([ended, new Promise((resolve) => void setTimeout(resolve, 1_000).unref())]);
  }
  await client.close().catch(() => {});
}
