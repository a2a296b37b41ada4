import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { createRetry } from '../authz/authz.ts';
import type { Principal } from '../caller/principal.ts';
import { confirmed } from '../caller/confirmed.ts';
import { always } from '../caller/once.ts';
import type { Once } from '../caller/once.ts';
import type { RequireReauthentication } from '../caller/reauthentication.ts';
import { identifyNow, readIdentified } from '../caller/read-identified.ts';
import type { Identified } from '../caller/read-identified.ts';
import type { Reply, RequestFacts, Route } from '../caller/route.ts';
import type { TableFormat } from '../caller/table.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { absent, overdue, unavailable } from '../platform/errors/refusal.ts';
import type { Cursors } from '../platform/http/cursors.ts';
import { addressBucket } from '../platform/http/address-bucket.ts';
import { isUuid } from '../platform/ids.ts';
import { withinOrRollBack } from '../platform/concurrency/within.ts';
import { refuseKeyWithCookie } from './credentials.ts';
import { createRequireAccess } from './access.ts';
import type { Check, GrantName } from './access.ts';
import type { createAuthenticate } from './authenticate.ts';
import type { RequestCredentials } from './credentials.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { parseShape, readRequestBody } from './request-body.ts';
import { createListCursors } from './list-cursors.ts';
import { parseQuery } from './query.ts';
import { createReauthenticate } from './reauthentication.ts';
import type { Reauthenticate } from './reauthentication.ts';
import { requireSameSite } from './same-site.ts';
import { splitFormat } from './table-format.ts';
import { tableReply } from './table-reply.ts';
import type { Origins } from './same-site.ts';

export interface PipelineDependencies {
  authentication: ReturnType<typeof createAuthenticate>;
  check: Check;
  grantName: GrantName;
  requireReauthentication: RequireReauthentication;
  idempotency: Pick<Idempotency, 'run'>;
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
type HandlerInput = Omit<Parameters<Route['handle']>[0], 'caller' | 'reauthentication'>;
/** `format` is null for JSON, which the handler builds. */
type FormattedInput = HandlerInput & { format: TableFormat | null };
type Input = FormattedInput & { reauthenticate: Reauthenticate };
type ReadInput = Omit<FormattedInput, 'beforeCommit'>;

/** The `Idempotency-Key` of a request that creates something, and the body that it belongs to. */
interface Repeatable {
  key: string;
  body: unknown;
}

/** Null for a public route. */
type Sender = Identified<Principal | null>;

interface Attempt {
  route: Route;
  incoming: Incoming;
  input: Input;
  /** Null if it has no key. */
  repeatable: Repeatable | null;
  /** Deadline, in the time of `performance.now()`. */
  until: number;
}

/**
 * Handles one REST request: authentication, body, authorization, then one call of the domain logic.
 */
export function createPipeline(dependencies: PipelineDependencies) {
  const { authentication, origins, idempotency } = dependencies;
  const authorize = createAuthorize(dependencies);
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

  /** Handles the request on a decision that still stands, whatever that decision waited for. */
  async function attempt(
    { route, incoming, input: { reauthenticate, ...input }, repeatable, until }: Attempt,
    first: Sender,
  ): Promise<Reply> {
    const decide = async (sender: Sender) => {
      await authorize(route, sender.caller, input);
      return sender;
    };
    await decide(first);
    const reauthentication = await reauthenticate(first.caller);
    requireParams(route, input);
    const again = () => identifyNow(() => identify(route, incoming));
    const { caller } = await confirmed(first, { identify: again, decide, until });
    const handle = async (once: Once) => {
      const request = { ...input.request, once };
      return respond(route, { ...input, request, caller, reauthentication });
    };
    if (repeatable === null || caller === null) return handle(always);
    return idempotency.run({ ...repeatable, route, caller, params: input.params, until }, handle);
  }

  return async function handle(route: Route, incoming: Incoming): Promise<Reply> {
    const began = performance.now();
    const {
      body: { repeatable, ...body },
      body_ms: arrival_ms,
      ...sender
    } = await readIdentified(
      () => identify(route, incoming),
      (from) => readInput(route, incoming, from),
    );
    // The time to receive the body does not count; it is limited where the body is read.
    const until = began + arrival_ms + (route.within_ms ?? REQUEST_MS);
    const { caller } = sender;
    const list = { route, caller, params: body.params };
    const query = cursors.openQuery(list, body.query);
    const reauthenticate = createReauthenticate(route, body, dependencies.requireReauthentication);
    const work = (beforeCommit: () => void) => {
      const input = { ...body, query, beforeCommit, reauthenticate };
      const request = { route, incoming, input, repeatable, until };
      return retry({
        attempt: () => attempt(request, sender),
        retry: async () => attempt(request, await identifyNow(() => identify(route, incoming))),
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

/** Calls the handler; for a file, reads the list instead. */
function respond(
  route: Route,
  { format, ...input }: Parameters<Route['handle']>[0] & Pick<FormattedInput, 'format'>,
): Promise<Reply> | Reply {
  if (format === null || route.table === undefined) return route.handle(input);
  return tableReply(route.table, format, route.table.pages(input));
}

function requireParams(route: Route, { params }: Pick<HandlerInput, 'params'>): void {
  if (route.params !== undefined && params === undefined)
    throw absent('the path contains an invalid id');
}

function createAuthorize(dependencies: Pick<PipelineDependencies, 'check' | 'grantName'>) {
  const requireAccess = createRequireAccess(dependencies);

  /** Throws unless the route's access allows the caller. */
  return async function authorize(
    route: Route,
    caller: Principal | null,
    input: Pick<HandlerInput, 'params'>,
  ): Promise<void> {
    if (caller === null) return;
    const { params } = input;
    await requireAccess({
      ...{ principal: caller, access: route.access, params: params ?? {} },
      async requireObject() {
        requireParams(route, input);
        await route.object?.({ caller, params });
      },
    });
  };
}

/** Returns the organization that a path names, so that its scopes are read with the credential. */
function organizationIn(params: unknown): string | null {
  const { organization_id: id } = params as { organization_id?: string };
  return id !== undefined && isUuid(id) ? id.toLowerCase() : null;
}

// A route without a body schema still rejects a body that is not a JSON object.
const NoFields = z.object({});

async function readInput(
  route: Route,
  incoming: Incoming,
  caller: Principal | null,
): Promise<ReadInput & { repeatable: Repeatable | null }> {
  const key = idempotencyKeyOf(route, incoming.raw.rawHeaders);
  const schema = route.body ?? (route.method === 'GET' ? undefined : NoFields);
  const { format, query } = splitFormat(route, incoming.query as object, incoming.raw.rawHeaders);
  const fairnessKey = caller?.quota_owner.id ?? addressBucket(incoming.facts.address);
  const body = await readRequestBody(incoming.raw, { ...route, body: schema }, fairnessKey);
  return {
    body: schema ? parseShape(schema, body, 'invalid_body') : undefined,
    format,
    query: parseQuery(route, query),
    // An invalid id in the path gets the same response as a well-formed unknown id.
    params: route.params?.safeParse(incoming.params).data,
    request: incoming.facts,
    repeatable: key === null ? null : { key, body },
  };
}
