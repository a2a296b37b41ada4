import type { AuthorizationAnswer } from './mcp.ts';
import type { TryConnection } from './try-connection.ts';

const FEATURES = 'popup,width=600,height=800';
const CHANNEL = 'toolgate-try-it';

/** The browser did not let the page open a window. */
export class WindowBlocked extends Error {}
/** The person denied access, or the request ended before a decision. */
export class NotAllowed extends Error {}

/** What the callback sends to the page that waits; only the page with the same `state` accepts it. */
interface Sent extends Partial<AuthorizationAnswer> {
  state: string;
}

/**
 * Asks the person in a window of its own, so that the page keeps what was typed, and connects. Call
 * it in the handler of a click: browsers open no window otherwise.
 */
export async function connectInWindow(
  organization_id: string | null,
  signal: AbortSignal,
): Promise<TryConnection> {
  const decision = window.open('', CHANNEL, FEATURES);
  if (decision === null) throw new WindowBlocked();
  try {
    const { startAuthorizing } = await import('./mcp.ts');
    const { url, state, finish } = await startAuthorizing(organization_id);
    signal.throwIfAborted();
    decision.location.replace(url);
    return await finish(await answerTo(state, signal));
  } finally {
    decision.close();
  }
}

/**
 * Resolves with the code for a request. The window is not asked whether it is still open: while it
 * shows the page of an identity provider, browsers may say that it is not.
 */
function answerTo(state: string, signal: AbortSignal): Promise<AuthorizationAnswer> {
  const channel = new BroadcastChannel(CHANNEL);
  const { promise, resolve, reject } = Promise.withResolvers<AuthorizationAnswer>();
  channel.addEventListener('message', ({ data }: MessageEvent<Sent>) => {
    if (data.state !== state) return;
    if (data.code === undefined) reject(new NotAllowed());
    else resolve({ code: data.code, iss: data.iss ?? null });
  });
  signal.addEventListener('abort', () => reject(signal.reason as Error));
  return promise.finally(() => channel.close());
}

/** Sends what the authorization server returned to the page that waits. */
export function sendAnswer(query: string): void {
  const sent = new URLSearchParams(query);
  const [state, code, iss] = ['state', 'code', 'iss'].map((name) => sent.get(name));
  if (state == null) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage({ state, iss, ...(code == null ? {} : { code }) });
  channel.close();
}
