import type { ServerResponse } from 'node:http';
import { streamHeaders } from './http.ts';

export interface StreamEvent {
  id?: string;
  /** If empty, the event carries only its id; if absent, the client sees no event. */
  data?: string;
  retryMs?: number;
}

/** A response made of server-sent events; writing to it never throws. */
export interface EventStream {
  /** Returns false if the stream is closed, or is closed now because too much is unsent. */
  send(event: StreamEvent): boolean;
  /** Waits while too much is unsent; closes the stream if the client does not read in time. */
  waitUntilDrained(timeoutMs: number): Promise<void>;
  end(lastEvent?: StreamEvent): void;
  /** Calls `run` once, when either side closes the stream. */
  onClose(run: () => void): void;
  readonly isOpen: boolean;
}

interface EventStreamOptions {
  headers?: Readonly<Record<string, string>>;
  /** Closes the stream when more is unsent; null if the writer waits for `drained` instead. */
  maxWaitingBytes: number | null;
  keepAliveMs?: number;
}

const KEEP_ALIVE_MS = 15_000;
export const MAX_WAITING_BYTES = 64 * 1024;

/** Opens the stream; sends status 200 and the headers immediately. */
export function openEventStream(
  response: ServerResponse,
  { headers = {}, maxWaitingBytes, keepAliveMs = KEEP_ALIVE_MS }: EventStreamOptions,
): EventStream {
  response.writeHead(200, { ...streamHeaders, ...headers });
  response.flushHeaders();
  const closeHandlers: (() => void)[] = [];
  let isOpen = !response.destroyed;
  // If the client has already disconnected, no event would ever clear the timer.
  const timer = isOpen ? setInterval(keepAlive, keepAliveMs).unref() : undefined;

  function onClosed(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(timer);
    for (const run of closeHandlers.splice(0)) run();
  }
  response.on('close', onClosed);
  response.on('error', onClosed);

  function keepAlive(): void {
    write(': keep-alive\n\n');
  }

  function write(text: string): boolean {
    if (!isOpen) return false;
    response.write(text);
    if (maxWaitingBytes === null || response.writableLength <= maxWaitingBytes) return true;
    response.destroy();
    onClosed();
    return false;
  }

  return {
    send: (event) => write(serialize(event)),
    async waitUntilDrained(timeoutMs) {
      if (!isOpen || response.writableLength < MAX_WAITING_BYTES) return;
      const isInTime = await waitForDrain(response, timeoutMs);
      if (!isInTime && response.writableLength >= MAX_WAITING_BYTES) response.destroy();
    },
    end(lastEvent) {
      if (!isOpen) return;
      response.end(lastEvent === undefined ? undefined : serialize(lastEvent));
      onClosed();
    },
    onClose(run) {
      if (isOpen) closeHandlers.push(run);
      else run();
    },
    get isOpen() {
      return isOpen;
    },
  };
}

/** Returns whether the response drained or closed in time; removes its listeners. */
function waitForDrain(response: ServerResponse, timeoutMs: number): Promise<boolean> {
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
  // Serialized JSON has no line breaks, so one data line is enough.
  const body = data === undefined ? '' : `data: ${data}\n`;
  return `${head}${id === undefined ? '' : `id: ${id}\n`}${retry}${body}\n`;
}
