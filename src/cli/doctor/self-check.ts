import {
  CARRIED_HEADERS,
  createProof,
  PAUSE_MS,
  PROOF_HEADER,
  PROOF_LABEL,
  SELF_CHECK_PATH,
} from '../../gateway/operations/self-check.ts';
import type { ArrivedRequest } from '../../gateway/operations/self-check.ts';
import type { Config } from '../../platform/config/config.ts';
import { createSecrets } from '../../platform/secrets.ts';
import { fetchPublic } from './ask-gateway.ts';

/** A client address that no client can have (RFC 5737). */
export const FORGED_ADDRESS = '203.0.113.77';

/** How a request through the public URL arrived, and how its answer came back. */
export interface SelfCheck {
  arrived: ArrivedRequest;
  set_cookies: readonly string[];
  /** Whether the first event came before the gateway sent the second. */
  is_streamed: boolean;
}

/** Thrown if no gateway of this deployment answered. */
export class NoSelfCheck extends Error {}

/**
 * Requests the self-check of a gateway through its public URL. Repeats it if the events came
 * together, as they also do to a busy machine.
 */
export async function requestSelfCheck(config: Config): Promise<SelfCheck> {
  const first = await requestOnce(config);
  return first.is_streamed ? first : requestOnce(config);
}

/** Sends every header that matters. */
async function requestOnce(config: Config): Promise<SelfCheck> {
  const { SECRETS_KEY, DASHBOARD_URL } = config;
  const proof = createProof(createSecrets(SECRETS_KEY).subkeys(PROOF_LABEL), new Date());
  const response = await fetchPublic(config, SELF_CHECK_PATH, {
    headers: {
      ...Object.fromEntries(CARRIED_HEADERS.map((name) => [name, 'self-check'])),
      ...{ accept: 'text/event-stream', origin: DASHBOARD_URL, cookie: 'self-check=sent' },
      ...{ 'x-forwarded-for': FORGED_ADDRESS, [PROOF_HEADER]: proof },
    },
  });
  if (response.status !== 200 || response.body === null)
    throw new NoSelfCheck(`GET ${SELF_CHECK_PATH} was answered with ${response.status}.`);
  const { first, gapMs } = await readEvents(response.body);
  return {
    arrived: first,
    set_cookies: response.headers.getSetCookie(),
    is_streamed: gapMs > PAUSE_MS / 2,
  };
}

const FIRST_EVENT = /^event: request\ndata: (.*)\n\n/;

/** Reads both events, and the time between their arrivals. */
async function readEvents(body: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder();
  let text = '';
  let firstAt: number | null = null;
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (FIRST_EVENT.test(text)) firstAt ??= performance.now();
  }
  const [, data] = FIRST_EVENT.exec(text) ?? [];
  if (data === undefined || firstAt === null || !text.includes('event: later'))
    throw new NoSelfCheck('The stream of the gateway ended early.');
  return { first: JSON.parse(data) as ArrivedRequest, gapMs: performance.now() - firstAt };
}
