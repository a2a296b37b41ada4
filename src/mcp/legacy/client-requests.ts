import { randomUUID } from 'node:crypto';
import type { Notification } from '../call.ts';

/** Requests to clients that wait for an answer, which may be posted to any instance. */
export interface ClientRequests {
  /** Sends through `send` and waits; the answer counts only from the same session. */
  ask(
    sessionKey: string,
    message: Notification,
    options: { signal: AbortSignal; send(text: string): Promise<boolean> },
  ): Promise<unknown>;
  /** False: not asked here, or not of this session. */
  settle(sessionKey: string, message: Readonly<Record<string, unknown>>): boolean;
}

interface Waiting {
  sessionKey: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The client's own words for why not; a tool may tell them to the client that said them. */
class ClientRefused extends Error {}

const ANSWER_MS = 60_000;

export function createClientRequests(): ClientRequests {
  // A server for one request counts from 0 on every instance; a session must never see an id twice.
  const instance = randomUUID();
  const waiting = new Map<string, Waiting>();
  return {
    async ask(sessionKey, message, { signal, send }) {
      const id = `${instance}.${randomUUID()}`;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      const answer = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, { sessionKey, resolve, reject });
        limit.addEventListener('abort', () => reject(new ClientRefused('no answer in time')), {
          once: true,
        });
      });
      answer.catch(() => {});
      try {
        if (!(await send(JSON.stringify({ jsonrpc: '2.0', id, ...message }))))
          throw new ClientRefused('no stream to ask on');
        return await answer;
      } finally {
        waiting.delete(id);
      }
    },
    settle(sessionKey, message) {
      const asked = waiting.get(String(message['id']));
      if (asked === undefined || asked.sessionKey !== sessionKey) return false;
      const error = message['error'] as { message?: string } | undefined;
      if (error === undefined) asked.resolve(message['result']);
      else asked.reject(new ClientRefused(error.message ?? 'refused'));
      return true;
    },
  };
}
