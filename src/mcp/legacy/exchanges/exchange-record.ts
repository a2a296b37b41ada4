import type { Log } from '../../../platform/observability/log.ts';
import { eventId } from './exchange-log.ts';
import type { ExchangeLog } from './exchange-log.ts';
import type { ExchangeStream } from './exchange-stream.ts';

/** Stores each event before it is written, whether or not the connection is still open. */
export interface ExchangeRecord {
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

const DRAIN_MS = 30_000;
const BUFFERED_BYTES = 2 * 1024 * 1024;
const TOO_LARGE = '"error":{"code":-32603,"message":"Internal error"}}';

export function createExchangeRecord(
  { exchangeLog, log }: { exchangeLog: ExchangeLog; log: Log },
  { stream, name }: ExchangeStream,
): ExchangeRecord {
  let place = 0;
  let bytes = 0;
  const keep = (work: Promise<void>) =>
    work.catch((error: unknown) =>
      log.warn({ err: error }, 'could not store an event of an exchange'),
    );
  return {
    async append(text) {
      place += 1;
      bytes += Buffer.byteLength(text);
      const kept = bytes <= BUFFERED_BYTES ? text : withoutResult(text);
      if (kept !== null) await keep(exchangeLog.append(name, place, kept));
      stream.send({ id: eventId(name, place), data: text });
      await stream.drained(DRAIN_MS);
    },
    async close() {
      await keep(exchangeLog.close(name, place));
      stream.end();
    },
  };
}

/**
 * Returns the error that is stored instead of a response too large to store, so that a resuming
 * client does not wait for it; null for other messages.
 */
function withoutResult(text: string): string | null {
  const { id, method } = JSON.parse(text) as { id?: unknown; method?: unknown };
  return method === undefined ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${TOO_LARGE}` : null;
}
