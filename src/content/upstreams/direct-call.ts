import type { Progress } from '../../catalog/catalog.ts';
import { InFlight } from '../../platform/concurrency/in-flight.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { Outbound, Receiving } from '../../platform/outbound/outbound.ts';
import { CallResponse } from './call-response.ts';
import type { ReceivedResult } from './call-response.ts';
import { upstreamFailure } from './failure.ts';
import type { OpenResponses } from './open-responses.ts';
import { MAX_BYTES } from './upstream-fetch.ts';

// Far above the ids that the SDK's client gives its own requests in the same session.
const FIRST_ID = 1_000_000_000;
// How long a server may keep a stream open after the response that it was opened for.
const LINGER_MS = 1_000;

export interface DirectCallDependencies {
  url: string;
  /** Headers of every request, except those that name it. */
  headers: Readonly<Record<string, string>>;
  /** `_meta` of every request in 2026's protocol; null in 2025's. */
  envelope: object | null;
  outbound: Pick<Outbound, 'receive'>;
  open: OpenResponses;
  /** Handles messages that are neither the response nor progress. */
  onOther(message: unknown): void;
  /** Called if a request was given up in 2025's protocol; in 2026's, the server sees that it ended. */
  onGivenUp(id: number): void;
}

/** A request; in 2026's protocol, headers repeat its method and the name of what it is about. */
export interface DirectRequest {
  method: 'tools/call' | 'prompts/get' | 'resources/read';
  name: string;
  params: object;
}

export interface DirectCallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress: ((progress: Progress) => void) | undefined;
}

/**
 * Calls tools, and reads prompts and resources, with one request each, without the streams and schemas of the SDK's client, which were
 * most of the cost of a call (decisions/0061). The client opens the connection and does the rest.
 */
export function createDirectCalls(dependencies: DirectCallDependencies) {
  const { url, headers, envelope, outbound, open, onOther, onGivenUp } = dependencies;
  const calls = new InFlight<Receiving>();
  let lastId = FIRST_ID;

  /** Sends the request; the slot is free again once the response is closed. */
  function send(response: CallResponse, request: Parameters<Outbound['receive']>[0]): Receiving {
    open.add();
    try {
      const receiving = outbound.receive(request, response);
      const slot = calls.add(receiving);
      const release = () => {
        calls.remove(slot);
        open.remove();
      };
      receiving.done.then(
        () => (release(), response.end()),
        (error: unknown) => (release(), response.fail(error)),
      );
      return receiving;
    } catch (error) {
      open.remove();
      throw error;
    }
  }

  return {
    /** Rejects with the signal's reason, `Interrupted`, or an error for `asUpstreamFailure`. */
    async call(
      { method, name, params: sent }: DirectRequest,
      { signal, timeoutMs, onProgress }: DirectCallOptions,
    ): Promise<ReceivedResult> {
      const id = (lastId += 1);
      const response = new CallResponse({ id, is2026: envelope !== null, onProgress, onOther });
      const token = onProgress === undefined ? null : { progressToken: id };
      const meta = envelope === null && token === null ? {} : { _meta: { ...envelope, ...token } };
      const params = { ...sent, ...meta };
      const named = { 'mcp-method': method, 'mcp-name': headerValueOf(name) };
      const receiving = send(response, {
        ...{ url, method: 'POST', timeoutMs, maxBytes: MAX_BYTES, signal },
        headers: envelope === null ? headers : { ...headers, ...named },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      });
      try {
        return await response.result;
      } catch (error) {
        const isTimeout = error instanceof OutboundError && error.code === 'timeout';
        if (envelope === null && (isTimeout || signal.aborted)) onGivenUp(id);
        throw isTimeout ? upstreamFailure('did not respond in time.') : error;
      } finally {
        if (response.isOpen) endLater(receiving);
      }
    },

    close: () => calls.forEach((receiving) => receiving.end(new Error('closed'))),
  };
}

/** Encodes what a header cannot repeat as it is, as 2026's protocol specifies. */
const headerValueOf = (text: string): string =>
  /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

function endLater(receiving: Receiving): void {
  const timer = setTimeout(() => receiving.end(new Error('left open')), LINGER_MS).unref();
  const stop = () => clearTimeout(timer);
  receiving.done.then(stop, stop);
}
