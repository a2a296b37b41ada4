import type { Log } from '../../../platform/observability/log.ts';
import { eventId } from './exchange-log.ts';
import type { ExchangeLog } from './exchange-log.ts';
import type { ExchangeStream } from './exchange-stream.ts';

const DRAIN_MS = 30_000;
const BUFFERED_BYTES = 2 * 1024 * 1024;
const TOO_LARGE = '"error":{"code":-32603,"message":"Internal error"}}';

/** Stores each event before it is written, whether or not the connection is still open. */
export function createExchangeRecord(
  { exchangeLog, log }: { exchangeLog: ExchangeLog; log: Log },
  { stream, name }: ExchangeStream,
) {
  let position = 0;
  let bytes = 0;
  const logFailure = (work: Promise<void>) =>
    work.catch((error: unknown) =>
      log.warn({ err: error }, 'could not store an event of an exchange'),
    );
  return {
    async append(text: string) {
      position += 1;
      bytes += Buffer.byteLength(text);
      const stored = bytes <= BUFFERED_BYTES ? text : withoutResult(text);
      if (stored !== null) await logFailure(exchangeLog.append(name, position, stored));
      stream.send({ id: eventId(name, position), data: text });
      await stream.waitUntilDrained(DRAIN_MS);
    },
    async close() {
      await logFailure(exchangeLog.close(name, position));
      stream.end();
    },
  };
}
export type ExchangeRecord = ReturnType<typeof createExchangeRecord>;

/**
 * Returns the error that is stored instead of a response too large to store, so that a resuming
 * client does not wait for it; null for other messages.
 */
function withoutResult(text: string): string | null {
  const { id, method } = JSON.parse(text) as { id?: unknown; method?: unknown };
  return method === undefined ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${TOO_LARGE}` : null;
}
