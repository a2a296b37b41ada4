import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Log } from '../../../platform/observability/log.ts';
import type { RedisLink } from '../../../platform/redis/redis.ts';

/** A message to other instances about a session. Losing one only causes a delay. */
const Signal = z.discriminatedUnion('type', [
  z.object({ type: z.literal('end') }),
  z.object({ type: z.literal('cancel'), request_id: z.union([z.string(), z.number()]) }),
  z.object({ type: z.literal('response'), message: z.record(z.string(), z.unknown()) }),
]);
export type Signal = z.infer<typeof Signal>;

// The timeout of a Redis script; an exchange continues even without signals.
const LISTEN_MS = 300;

export function createSignals(redis: RedisLink, log: Log) {
  const listeners = new Map<
    string,
    { handlers: Set<(signal: Signal) => void>; ready: Promise<void> }
  >();
  const channelOf = (sessionKey: string) => `${redis.prefix}${sessionKey}:sig`;
  const logLost = (error: unknown) => log.debug({ err: error }, 'session signal lost');

  redis.subscriber.on('message', (channel: string, text: string) => {
    const listening = listeners.get(channel);
    if (!listening) return;
    const signal = Signal.safeParse(readJson(text));
    if (!signal.success) return logLost(signal.error);
    for (const onSignal of [...listening.handlers]) onSignal(signal.data);
  });

  return {
    async publish(sessionKey: string, signal: Signal) {
      await redis.commands.publish(channelOf(sessionKey), JSON.stringify(signal));
    },
    /**
     * Resolves once it listens, or after `LISTEN_MS` at the latest, to a function that stops
     * listening.
     */
    async listen(sessionKey: string, onSignal: (signal: Signal) => void) {
      const channel = channelOf(sessionKey);
      let listening = listeners.get(channel);
      if (!listening) {
        const subscribed = redis.subscriber.subscribe(channel).then(() => {}, logLost);
        const ready = Promise.race([subscribed, pause(LISTEN_MS, undefined, { ref: false })]);
        listening = { handlers: new Set(), ready };
        listeners.set(channel, listening);
      }
      const { handlers, ready } = listening;
      handlers.add(onSignal);
      await ready;
      return () => {
        handlers.delete(onSignal);
        if (handlers.size > 0 || listeners.get(channel)?.handlers !== handlers) return;
        listeners.delete(channel);
        redis.subscriber.unsubscribe(channel).catch(logLost);
      };
    },
  };
}
export type Signals = ReturnType<typeof createSignals>;

/** Returns undefined for invalid JSON: no published message may crash a receiving process. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
