import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { identifyNow, readFrom } from '../../caller/read-identified.ts';
import type { Route } from '../../caller/route.ts';
import { addressBucket } from '../../platform/http/address-bucket.ts';
import type { FactsOf } from '../http/facts.ts';
import { readRequestBody } from '../http/request-body.ts';
import type { Decisions } from './decisions.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { splitFormat } from './table-format.ts';

export interface ReadingDependencies {
  sessionCookie: string;
  factsOf: FactsOf;
}

// reliability.md 1.2. Each wait has its own limit; this one limits their sum. Fastify's
// `handlerTimeout` would include the time to receive the body, and cut off a long response.
const REQUEST_MS = 10_000;

/** A route without a body schema still rejects a body that is not a JSON object. */
export const NoFields = z.object({});

/** Returns the schema of a request's body; undefined if it has none. */
export const bodySchemaOf = ({ body, method }: Pick<Route, 'body' | 'method'>) =>
  body ?? (method === 'GET' ? undefined : NoFields);

/** Creates the hooks that read a request to the API: who sent it, then its body. */
export function createReading(
  { sessionCookie, factsOf }: ReadingDependencies,
  decisions: Pick<Decisions, 'identify'>,
) {
  /** `onRequest`: identifies the sender by the headers; throws 401, 403 or 503. */
  async function identify(request: FastifyRequest): Promise<void> {
    const began = performance.now();
    const route = request.routeOptions.config.route!;
    const { method, raw, params, query } = request;
    const { rawHeaders } = raw;
    const facts = factsOf(request);
    const cookie = request.cookies[sessionCookie];
    const credentials = { method, rawHeaders, cookie, address: () => facts.address };
    const incoming = { raw, credentials, params, query, facts };
    const identifySender = () => decisions.identify(route, incoming);
    const sender = await identifyNow(identifySender);
    request.rest = {
      ...{ route, incoming, sender, identify: identifySender },
      ...{ repeatable: null, format: null, authorized: null },
      idempotency_key: idempotencyKeyOf(route, rawHeaders),
      until: began + (route.within_ms ?? REQUEST_MS),
    };
  }

  /** Parses content of every type; throws 413, 415 or 400. */
  async function readBody({ rest }: FastifyRequest): Promise<unknown> {
    const { route, incoming } = rest;
    const schema = bodySchemaOf(route);
    const { sender, body, body_ms } = await readFrom(rest.sender, rest.identify, (caller) => {
      const fairnessKey = caller?.quota_owner.id ?? addressBucket(incoming.facts.address);
      return readRequestBody(incoming.raw, { ...route, body: schema }, fairnessKey);
    });
    rest.sender = sender;
    // The time to receive the body does not count; it is limited where the body is read.
    rest.until += body_ms;
    return body;
  }

  /** `preValidation`: completes the body and the query that the schemas validate. */
  async function prepare(request: FastifyRequest): Promise<void> {
    const { rest } = request;
    // Fastify parses nothing if neither a type nor a length announces a body.
    if (request.body === undefined) request.body = await readBody(request);
    const { route, idempotency_key: key } = rest;
    if (key !== null) rest.repeatable = { key, body: request.body };
    const split = splitFormat(route, request.query as object, request.raw.rawHeaders);
    rest.format = split.format;
    request.query = split.query;
  }

  return { identify, readBody, prepare };
}
