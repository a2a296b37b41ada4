import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { setTimeout } from 'node:timers/promises';
import { ConcurrentUpdate } from '../authz/authz.ts';
import { scopeName } from '../caller/scope.ts';
import type { Principal } from '../caller/principal.ts';
import type { Access, Reply, RequestFacts, Route } from '../caller/route.ts';
import { absent, overdue, unavailable } from '../platform/refusal.ts';
import { createTurns } from '../platform/turns.ts';
import { withinOrUndone } from '../platform/within.ts';
import { refuseKeyBesideCookie } from './credentials.ts';
import { requireAccess } from './access.ts';
import type { Check, GrantName } from './access.ts';
import type { createAuthenticate } from './authenticate.ts';
import type { RequestCredentials } from './credentials.ts';
import { parseShape, readJsonBody } from './request-body.ts';
import { requireSameSite } from './same-site.ts';
import type { Origins } from './same-site.ts';

export interface PipelineDependencies {
  authentication: ReturnType<typeof createAuthenticate>;
  check: Check;
  grantName: GrantName;
  origins: Origins;
}

export interface Incoming {
  raw: IncomingMessage;
  credentials: RequestCredentials;
  params: unknown;
  query: unknown;
  facts: RequestFacts;
}

// reliability.md 1.2. Each wait has a limit of its own; this one bounds their sum. Fastify's
// `handlerTimeout` would count the arrival of the body, and cut a long answer in its middle.
const REQUEST_MS = 10_000;
// What is tried later than this before its end would hardly be over by then.
const LAST_TRY_MS = 2_000;
const MOST_WAITING = 100;
// A body that took this long to arrive was authenticated too long ago to authorize with.
const SLOW_BODY_MS = 250;

type Input = Omit<Parameters<Route['handle']>[0], 'caller'>;
type Sent = Omit<Input, 'beforeCommit'>;
interface Asked {
  route: Route;
  incoming: Incoming;
  input: Input;
}

/** The life of one REST request: who, the body, may they, then one call of the domain. */
export function createPipeline(dependencies: PipelineDependencies) {
  const { authentication, check, grantName, origins } = dependencies;
  const inTurn = createTurns(MOST_WAITING);

  async function identify(route: Route, incoming: Incoming): Promise<Principal | null> {
    if (route.browser_only) {
      requireSameSite(incoming.credentials, origins);
      refuseKeyBesideCookie(incoming.credentials);
    }
    if (route.access === 'public') return null;
    const caller = await authentication.authenticate(incoming.credentials, route.access);
    authentication.requireInteractive(caller, route.access);
    return caller;
  }

  async function readInput(route: Route, incoming: Incoming): Promise<Sent> {
    const schema = route.body ?? (route.method === 'GET' ? undefined : NoFields);
    const body = await readJsonBody(incoming.raw, { ...route, body: schema });
    return {
      body: schema ? parseShape(schema, body, 'invalid_body') : undefined,
      query: route.query ? parseShape(route.query, incoming.query, 'invalid_query') : undefined,
      params: route.params ? parseParams(route, incoming.params) : undefined,
      request: incoming.facts,
    };
  }

  async function attempt(route: Route, caller: Principal | null, input: Input): Promise<Reply> {
    if (caller) await requireAccess(check, grantName, caller, route.access);
    return route.handle({ ...input, caller });
  }

  /** From authentication on, until nobody moves the authority between decision and commit. */
  async function decideAgain({ route, incoming, input }: Asked, until: number): Promise<Reply> {
    while (Date.now() < until) {
      try {
        return await attempt(route, await identify(route, incoming), input);
      } catch (error) {
        if (!(error instanceof ConcurrentUpdate)) throw error;
        await setTimeout(5 + Math.random() * 45);
      }
    }
    throw unavailable('authority kept moving');
  }

  async function decide(asked: Asked, caller: Principal | null, until: number): Promise<Reply> {
    try {
      return await attempt(asked.route, caller, asked.input);
    } catch (error) {
      if (!(error instanceof ConcurrentUpdate)) throw error;
      const again = () => decideAgain(asked, until - LAST_TRY_MS);
      // Side by side, all but one would be overtaken each time.
      return caller ? inTurn(scopeName(caller.quota_owner), again) : again();
    }
  }

  return async function answer(route: Route, incoming: Incoming): Promise<Reply> {
    const began = Date.now();
    const caller = await identify(route, incoming);
    const identified = Date.now();
    const sent = await readInput(route, incoming);
    const arrivalMs = Date.now() - identified;
    // How long its client takes to send a body is bounded where the body is read.
    const until = began + arrivalMs + (route.within_ms ?? REQUEST_MS);
    const work = async (beforeCommit: () => void) => {
      const input = { ...sent, beforeCommit };
      const isOld = arrivalMs > SLOW_BODY_MS;
      const asker = isOld ? await identify(route, incoming) : caller;
      return decide({ route, incoming, input }, asker, until);
    };
    const late = () =>
      route.undone_late === true ? unavailable('the time of the request was up') : overdue();
    return withinOrUndone(work, until - Date.now(), late);
  };
}

// A route that reads no body still takes only what is one.
const NoFields = z.object({});

/** A path id that is no id names nothing: 404, like any well-formed unknown one. */
function parseParams(route: Route, params: unknown): unknown {
  const parsed = route.params!.safeParse(params);
  if (!parsed.success) throw absent('the path holds no id');
  return parsed.data;
}

/** A route without a declared access cannot start (architecture.md 1). */
export function requireDeclaredAccess(route: { path: string; access?: Access }): void {
  const access = route.access;
  const declared =
    access === 'public' ||
    access === 'caller' ||
    access === 'interactive' ||
    (typeof access === 'object' && access !== null && typeof access.personal === 'string');
  if (!declared) throw new Error(`${route.path} declares no access: say who may call it`);
}
