import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { createRetry } from '../authz/authz.ts';
import type { Principal } from '../caller/principal.ts';
import { readIdentified } from '../caller/read-identified.ts';
import type { Reply, RequestFacts, Route } from '../caller/route.ts';
import { absent, overdue, unavailable } from '../platform/errors/refusal.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import { isUuid } from '../platform/ids.ts';
import { withinOrRollBack } from '../platform/concurrency/within.ts';
import { refuseKeyWithCookie } from './credentials.ts';
import { createRequireAccess } from './access.ts';
import type { Check, GrantName } from './access.ts';
import type { createAuthenticate } from './authenticate.ts';
import type { RequestCredentials } from './credentials.ts';
import { parseShape, readRequestBody } from './request-body.ts';
import { createListCursors } from './list-cursors.ts';
import { requireSameSite } from './same-site.ts';
import type { Origins } from './same-site.ts';

export interface PipelineDependencies {
  authentication: ReturnType<typeof createAuthenticate>;
  check: Check;
  grantName: GrantName;
  origins: Origins;
  cursors: Cursors;
}

export interface Incoming {
  raw: IncomingMessage;
  credentials: RequestCredentials;
  params: unknown;
  query: unknown;
  facts: RequestFacts;
}

// reliability.md 1.2. Each wait has its own limit; this one limits their sum. Fastify's
// `handlerTimeout` would include the time to receive the body, and cut off a long response.
const REQUEST_MS = 10_000;

/** Input of a request; `params` is undefined if the path contains an invalid id. */
type Input = Omit<Parameters<Route['handle']>[0], 'caller'>;
type ReadInput = Omit<Input, 'beforeCommit'>;

/**
 * Handles one REST request: authentication, body, authorization, then one call of the domain logic.
 */
export function createPipeline(dependencies: PipelineDependencies) {
  const { authentication, origins } = dependencies;
  const requireAccess = createRequireAccess(dependencies);
  const cursors = createListCursors(dependencies.cursors);
  const retry = createRetry();

  async function identify(route: Route, incoming: Incoming): Promise<Principal | null> {
    if (route.browser_only) {
      requireSameSite(incoming.credentials, origins);
      refuseKeyWithCookie(incoming.credentials);
    }
    if (route.access === 'public') return null;
    const caller = await authentication.authenticate(
      incoming.credentials,
      route.access,
      organizationIn(incoming.params),
    );
    authentication.requireInteractive(caller, route.access);
    return caller;
  }

  async function attempt(route: Route, caller: Principal | null, input: Input): Promise<Reply> {
    const { params } = input;
    const requireParams = () => {
      if (route.params !== undefined && params === undefined)
        throw absent('the path contains an invalid id');
    };
    if (caller)
      await requireAccess({
        ...{ principal: caller, access: route.access, params: params ?? {} },
        async requireObject() {
          requireParams();
          await route.object?.({ caller, params });
        },
      });
    requireParams();
    return route.handle({ ...input, caller });
  }

  return async function handle(route: Route, incoming: Incoming): Promise<Reply> {
    const began = performance.now();
    const {
      caller,
      body,
      body_ms: arrival_ms,
    } = await readIdentified(
      () => identify(route, incoming),
      () => readInput(route, incoming),
    );
    // The time to receive the body does not count; it is limited where the body is read.
    const until = began + arrival_ms + (route.within_ms ?? REQUEST_MS);
    const list = { route, caller, params: body.params };
    const query = cursors.openQuery(list, body.query);
    const work = (beforeCommit: () => void) => {
      const input = { ...body, query, beforeCommit };
      return retry({
        attempt: () => attempt(route, caller, input),
        retry: async () => attempt(route, await identify(route, incoming), input),
        owner: caller?.quota_owner ?? null,
        until,
      });
    };
    const timeoutError = () =>
      route.rolls_back_late === true ? unavailable('request timed out') : overdue();
    const reply = await withinOrRollBack(work, until - performance.now(), timeoutError);
    return cursors.sealReply(list, reply);
  };
}

/** Returns the organization that a path names, so that its scopes are read with the credential. */
function organizationIn(params: unknown): string | null {
  const { organization_id: id } = params as { organization_id?: string };
  return id !== undefined && isUuid(id) ? id.toLowerCase() : null;
}

// A route without a body schema still rejects a body that is not a JSON object.
const NoFields = z.object({});

async function readInput(route: Route, incoming: Incoming): Promise<ReadInput> {
  const schema = route.body ?? (route.method === 'GET' ? undefined : NoFields);
  const body = await readRequestBody(incoming.raw, { ...route, body: schema });
  return {
    body: schema ? parseShape(schema, body, 'invalid_body') : undefined,
    query: route.query ? parseShape(route.query, incoming.query, 'invalid_query') : undefined,
    // An invalid id in the path gets the same response as a well-formed unknown id.
    params: route.params?.safeParse(incoming.params).data,
    request: incoming.facts,
  };
}
