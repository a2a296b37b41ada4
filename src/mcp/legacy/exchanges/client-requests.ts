import { randomUUID } from 'node:crypto';
import type { Notification } from '../../protocol/call.ts';
import type { Cancellation } from '../../protocol/cancellation.ts';

interface PendingRequest {
  sessionKey: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Explains why there is no result, possibly in the client's words; tools may show it to them. */
class ClientRequestError extends Error {}

const RESPONSE_TIMEOUT_MS = 60_000;

/** Sends requests to clients; responses may be posted to any instance. */
export function createClientRequests() {
  // Makes ids unique across instances: a session must never see the same id twice.
  const instance = randomUUID();
  const waiting = new Map<string, PendingRequest>();
  return {
    /** Sends the message and waits for the response, which must come from the same session. */
    async send(
      sessionKey: string,
      message: Notification,
      { cancellation, send }: { cancellation: Cancellation; send(text: string): Promise<boolean> },
    ) {
      const id = `${instance}.${randomUUID()}`;
      const { promise: response, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(id, { sessionKey, resolve, reject });
      const giveUp = () => reject(new ClientRequestError('the client did not respond in time'));
      const timer = setTimeout(giveUp, RESPONSE_TIMEOUT_MS);
      const stopListening = cancellation.onCancel(giveUp);
      response.catch(() => {});
      try {
        if (!(await send(JSON.stringify({ jsonrpc: '2.0', id, ...message }))))
          throw new ClientRequestError('no open stream to send the request on');
        return await response;
      } finally {
        waiting.delete(id);
        clearTimeout(timer);
        stopListening();
      }
    },
    /** Settles a request; returns false if it was not sent by this instance to this session. */
    settle(sessionKey: string, message: Readonly<Record<string, unknown>>) {
      const pending = waiting.get(String(message['id']));
      if (pending === undefined || pending.sessionKey !== sessionKey) return false;
      const error = message['error'] as { message?: string } | undefined;
      if (error === undefined) pending.resolve(message['result']);
      else pending.reject(new ClientRequestError(error.message ?? 'refused'));
      return true;
    },
  };
}
export type ClientRequests = ReturnType<typeof createClientRequests>;
