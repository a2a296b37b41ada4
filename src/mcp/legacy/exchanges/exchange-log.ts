import { z } from 'zod';
import type { RedisLink } from '../../../platform/redis/redis.ts';

export interface ExchangeName {
  sessionKey: string;
  number: number;
}

export interface Page {
  events: { position: number; data: string }[];
  isClosed: boolean;
}

/** Returns the event id that a client resumes from with `Last-Event-ID`. */
export const eventId = ({ number }: ExchangeName, position: number) => `p${number}.${position}`;

const MAX_EVENTS = 1_000;
const LIFETIME_MS = 5 * 60_000;
const PAGE_EVENTS = 100;
const Entry = z.tuple([z.string(), z.array(z.string())]);

/** Stores the events of streamed POST responses, for clients that lose the connection. */
export function createExchangeLog(redis: RedisLink) {
  const keyOf = ({ sessionKey, number }: ExchangeName) =>
    `${redis.prefix}${sessionKey}:x:${number}`;
  async function add(exchange: ExchangeName, position: string, field: string, data: string) {
    const key = keyOf(exchange);
    await Promise.all([
      redis.commands.xadd(key, 'MAXLEN', MAX_EVENTS, position, field, data),
      redis.commands.pexpire(key, LIFETIME_MS),
    ]);
  }
  return {
    /** Starts the log before the first event, so that a client can resume before any event. */
    open: (exchange: ExchangeName) => add(exchange, '0-1', 'start', ''),
    append: (exchange: ExchangeName, position: number, data: string) =>
      add(exchange, `${position}-0`, 'data', data),
    /** Marks the end of the log with an entry at the last position. */
    close: (exchange: ExchangeName, position: number) => add(exchange, `${position}-2`, 'end', ''),
    /** Returns the events after a position; null if nothing is stored for this exchange. */
    async read(exchange: ExchangeName, after: number): Promise<Page | null> {
      const key = keyOf(exchange);
      const rows = await redis.commands.xrange(key, `(${after}-0`, '+', 'COUNT', PAGE_EVENTS);
      const entries = z.array(Entry).parse(rows);
      if (entries.length === 0 && (await redis.commands.exists(key)) === 0) return null;
      const events = entries.flatMap(([id, [field, data]]) =>
        field === 'data' ? [{ position: Number(id.split('-')[0]), data: data ?? '' }] : [],
      );
      return { events, isClosed: entries.some(([, [field]]) => field === 'end') };
    },
  };
}
export type ExchangeLog = ReturnType<typeof createExchangeLog>;
