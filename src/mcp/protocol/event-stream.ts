import type { ServerResponse } from 'node:http';
import { streamHeaders } from './http.ts';

export interface StreamEvent {
  id?: string;
  /** Empty: an event that only carries its id. Absent: no event at all. */
  data?: string;
  retryMs?: number;
}

/** One response of server-sent events; nothing is ever thrown at whoever writes to it. */
export interface EventStream {
  /** False: closed, or so much waits unsent that it was ended. */
  send(event: StreamEvent): boolean;
  /** Resolves when little waits; ends a stream whose reader has not read for that long. */
  drained(timeoutMs: number): Promise<void>;
  end(lastWords?: StreamEvent): void;
  /** Runs once, whoever closed it. */
  onClose(run: () => void): void;
  readonly isOpen: boolean;
}

interface EventStreamOptions {
  headers?: Readonly<Record<string, string>>;
  /** More than this unsent ends the stream; null: the writer waits for `drained` instead. */
  maxWaitingBytes: number | null;
  keepAliveMs?: number;
}

const KEEP_ALIVE_MS = 15_000;
export const MAX_WAITING_BYTES = 64 * 1024;

/** Begins the response: status 200 and the headers leave at once. */
export function openEventStream(
  response: ServerResponse,
  { headers = {}, maxWaitingBytes, keepAliveMs = KEEP_ALIVE_MS }: EventStreamOptions,
): EventStream {
  response.writeHead(200, { ...streamHeaders, ...headers });
  response.flushHeaders();
  const closings: (() => void)[] = [];
  let isOpen = !response.destroyed;
  // A client that left before this line would leave its timer behind for ever.
  const timer = isOpen ? setInterval(keepAlive, keepAliveMs).unref() : undefined;

  function closed(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(timer);
    for (const run of closings.splice(0)) run();
  }
  response.on('close', closed);
  response.on('error', closed);

  function keepAlive(): void {
    write(': keep-alive\n\n');
  }

  function write(text: string): boolean {
    if (!isOpen) return false;
    response.write(text);
    if (maxWaitingBytes === null || response.writableLength <= maxWaitingBytes) return true;
    response.destroy();
    closed();
    return false;
  }

  return {
    send: (event) => write(serialize(event)),
    async drained(timeoutMs) {
      if (!isOpen || response.writableLength < MAX_WAITING_BYTES) return;
      const isInTime = await settles(response, timeoutMs);
      if (!isInTime && response.writableLength >= MAX_WAITING_BYTES) response.destroy();
    },
    end(lastWords) {
      if (!isOpen) return;
      response.end(lastWords === undefined ? undefined : serialize(lastWords));
      closed();
    },
    onClose(run) {
      if (isOpen) closings.push(run);
      else run();
    },
    get isOpen() {
      return isOpen;
    },
  };
}

/** Whether all was taken in time, or nothing will be; nobody is left listening to the response. */
function settles(response: ServerResponse, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isInTime: boolean) => {
      clearTimeout(timer);
      response.off('drain', inTime).off('close', inTime);
      resolve(isInTime);
    };
    const inTime = () => end(true);
    const timer = setTimeout(end, timeoutMs, false).unref();
    response.on('drain', inTime).on('close', inTime);
  });
}

function serialize({ id, data, retryMs }: StreamEvent): string {
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`;
  const head = data === undefined || data === '' ? '' : 'event: message\n';
  // JSON text has no line breaks of its own, so one data line always carries it.
  const body = data === undefined ? '' : `data: ${data}\n`;
  return `${head}${id === undefined ? '' : `id: ${id}\n`}${retry}${body}\n`;
}
