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

// As long as a script may take; an exchange continues even without signals.
const LISTEN_MS = 300;

export interface Signals {
  publish(sessionKey: string, signal: Signal): Promise<void>;
  /**
   * Resolves once no later signal is missed, at the latest after `LISTEN_MS`. Returns a function
   * that stops listening.
   */
  listen(sessionKey: string, hear: (signal: Signal) => void): Promise<() => void>;
}

export function createSignals(redis: RedisLink, log: Log): Signals {
  const listeners = new Map<
    string,
    { hears: Set<(signal: Signal) => void>; ready: Promise<void> }
  >();
  const channelOf = (sessionKey: string) => `${redis.prefix}${sessionKey}:sig`;
  const quiet = (error: unknown) => log.debug({ err: error }, 'session signal lost');

  redis.subscriber.on('message', (channel: string, text: string) => {
    const listening = listeners.get(channel);
    if (!listening) return;
    const signal = Signal.safeParse(readJson(text));
    if (!signal.success) return quiet(signal.error);
    for (const hear of [...listening.hears]) hear(signal.data);
  });

  return {
    async publish(sessionKey, signal) {
      await redis.commands.publish(channelOf(sessionKey), JSON.stringify(signal));
    },
    async listen(sessionKey, hear) {
      const channel = channelOf(sessionKey);
      let listening = listeners.get(channel);
      if (!listening) {
        const subscribed = redis.subscriber.subscribe(channel).then(() => {}, quiet);
        const ready = Promise.race([subscribed, pause(LISTEN_MS, undefined, { ref: false })]);
        listening = { hears: new Set(), ready };
        listeners.set(channel, listening);
      }
      const { hears, ready } = listening;
      hears.add(hear);
      await ready;
      return () => {
        hears.delete(hear);
        if (hears.size > 0 || listeners.get(channel)?.hears !== hears) return;
        listeners.delete(channel);
        redis.subscriber.unsubscribe(channel).catch(quiet);
      };
    },
  };
}

/** Returns undefined for invalid JSON: no published message may crash a receiving process. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
