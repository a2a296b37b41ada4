import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { setTimeout } from 'node:timers/promises';
import { ConcurrentUpdate } from '../authz/authz.ts';
import { scopeName } from '../caller/scope.ts';
import type { Principal } from '../caller/principal.ts';
import { readIdentified } from '../caller/read-identified.ts';
import type { Reply, RequestFacts, Route } from '../caller/route.ts';
import { absent, overdue, unavailable } from '../platform/errors/refusal.ts';
import { createTurns } from '../platform/concurrency/turns.ts';
import { withinOrUndone } from '../platform/concurrency/within.ts';
import { refuseKeyBesideCookie } from './credentials.ts';
import { createRequireAccess } from './access.ts';
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

/** What a request sends; its params are undefined where they name nothing. */
type Input = Omit<Parameters<Route['handle']>[0], 'caller'>;
type Sent = Omit<Input, 'beforeCommit'>;
interface Asked {
  route: Route;
  incoming: Incoming;
  input: Input;
}

/** The life of one REST request: who, the body, may they, then one call of the domain. */
export function createPipeline(dependencies: PipelineDependencies) {
  const { authentication, origins } = dependencies;
  const requireAccess = createRequireAccess(dependencies);
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

  async function attempt(route: Route, caller: Principal | null, input: Input): Promise<Reply> {
    const { params } = input;
    const requireParams = () => {
      if (route.params !== undefined && params === undefined) throw absent('the path holds no id');
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

  /** From authentication on, until nobody moves the authority between decision and commit. */
  async function decideAgain({ route, incoming, input }: Asked, until: number): Promise<Reply> {
    while (performance.now() < until) {
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
    const began = performance.now();
    const { who, body, arrival_ms } = await readIdentified(
      () => identify(route, incoming),
      () => readInput(route, incoming),
    );
    // How long its client takes to send a body is bounded where the body is read.
    const until = began + arrival_ms + (route.within_ms ?? REQUEST_MS);
    const work = (beforeCommit: () => void) =>
      decide({ route, incoming, input: { ...body, beforeCommit } }, who, until);
    const late = () =>
      route.undone_late === true ? unavailable('the time of the request was up') : overdue();
    return withinOrUndone(work, until - performance.now(), late);
  };
}

// A route that reads no body still takes only what is one.
const NoFields = z.object({});

async function readInput(route: Route, incoming: Incoming): Promise<Sent> {
  const schema = route.body ?? (route.method === 'GET' ? undefined : NoFields);
  const body = await readJsonBody(incoming.raw, { ...route, body: schema });
  return {
    body: schema ? parseShape(schema, body, 'invalid_body') : undefined,
    query: route.query ? parseShape(route.query, incoming.query, 'invalid_query') : undefined,
    // A path id that is no id names nothing, like any well-formed unknown one.
    params: route.params?.safeParse(incoming.params).data,
    request: incoming.facts,
  };
}
