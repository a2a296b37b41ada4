import { createHmac, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cookie } from '../../caller/route.ts';
import type { Secrets, Subkeys } from '../../platform/secrets.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { setCookies } from '../pages/pages.ts';

/** Path below `/mcp`, so that a proxy treats it like `/mcp`. */
export const SELF_CHECK_PATH = '/mcp/self-check';
/** Header with the proof that the sender has `SECRETS_KEY`. */
export const PROOF_HEADER = 'x-toolgate-self-check';
/** Label of the subkey that proofs are made with. */
export const PROOF_LABEL = 'self-check';
/** Time between the two events of the stream; a proxy that buffers sends both at once. */
export const PAUSE_MS = 2_000;
const MAX_AGE_MS = 600_000;

/** Headers that clients send and a proxy must pass on. */
export const CARRIED_HEADERS = [
  ...['authorization', 'x-api-key', 'cookie', 'origin', 'accept', 'last-event-id'],
  ...['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'],
  ...['idempotency-key', 'if-match', 'prefer'],
] as const;

/** What arrived at a gateway; of credentials only that there was one. */
export interface ArrivedRequest {
  host: string | null;
  origin: string | null;
  /** Address of the connection, such as that of a proxy. */
  remote_address: string;
  /** Address that limits count for. */
  client_address: string;
  forwarded_for: string | null;
  /** Those of `CARRIED_HEADERS` that arrived. */
  headers: string[];
}

/** Returns the proof for a request at this time. */
export function createProof([key]: Subkeys, now: Date): string {
  const time = String(now.getTime());
  return `${time}.${sign(key, time)}`;
}

const sign = (key: Buffer, time: string) =>
  createHmac('sha256', key).update(time).digest('base64url');

/** Returns whether one of the keys made the proof, in the last minutes. */
function isProof(keys: Subkeys, proof: unknown, now: Date): boolean {
  const [time = '', signature = ''] = typeof proof === 'string' ? proof.split('.') : [];
  const given = Buffer.from(signature);
  const isSigned = keys.some((key) => {
    const expected = Buffer.from(sign(key, time));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isSigned && Math.abs(now.getTime() - Number(time)) < MAX_AGE_MS;
}

export interface SelfCheckDependencies {
  secrets: Pick<Secrets, 'subkeys'>;
  clientAddress: ClientAddress;
  /** Whether cookies are. */
  isSecure: boolean;
}

/**
 * Shows `toolgate doctor` how its request arrived: a stream with two events, and a cookie. Anyone
 * without `SECRETS_KEY` gets 404.
 */
export function registerSelfCheck(
  app: FastifyInstance,
  { secrets, clientAddress, isSecure }: SelfCheckDependencies,
): void {
  const keys = secrets.subkeys(PROOF_LABEL);
  app.get(SELF_CHECK_PATH, async (request, reply) => {
    if (!isProof(keys, request.headers[PROOF_HEADER], new Date())) return reply.callNotFound();
    setCookies(reply, [selfCheckCookie(isSecure)], isSecure);
    reply.headers({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    return reply.send(Readable.from(events(arrivedRequest(request, clientAddress))));
  });
}

/** Returns a cookie like the session's, which a proxy would change in the same way. */
export const selfCheckCookie = (isSecure: boolean): Cookie => ({
  name: isSecure ? '__Host-self-check' : 'self-check',
  ...{ value: 'sent', path: '/', same_site: 'lax', max_age: 60 },
});

function arrivedRequest(
  { headers, raw: { socket, rawHeaders } }: FastifyRequest,
  clientAddress: ClientAddress,
): ArrivedRequest {
  const forwarded = headers['x-forwarded-for'];
  return {
    host: headers.host ?? null,
    origin: headers.origin ?? null,
    remote_address: clientAddress(socket.remoteAddress, []),
    client_address: clientAddress(socket.remoteAddress, rawHeaders),
    forwarded_for: forwarded === undefined ? null : String(forwarded),
    headers: CARRIED_HEADERS.filter((name) => headers[name] !== undefined),
  };
}

async function* events(arrived: ArrivedRequest): AsyncGenerator<string> {
  yield `event: request\ndata: ${JSON.stringify(arrived)}\n\n`;
  await pause(PAUSE_MS);
  yield 'event: later\ndata: {}\n\n';
}
