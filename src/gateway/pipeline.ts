import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { setTimeout } from 'node:timers/promises';
import { Moved } from '../authz/authz.ts';
import { scopeName } from '../caller/caller.ts';
import type { Caller } from '../caller/caller.ts';
import type { Access, Reply, RequestFacts, Route } from '../caller/route.ts';
import { absent, unavailable } from '../platform/refusal.ts';
import { createTurns } from '../platform/turns.ts';
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

// Within the 10 s of a request (reliability.md 1.2).
const DECIDE_AGAIN_MS = 8_000;
const MOST_WAITING = 100;
// A body that took this long to arrive was authenticated too long ago to authorize with.
const SLOW_BODY_MS = 250;

type Input = Omit<Parameters<Route['handle']>[0], 'caller'>;
interface Overtaken {
  route: Route;
  incoming: Incoming;
  input: Input;
}

/** The life of one REST request: who, the body, may they, then one call of the domain. */
export function createPipeline(dependencies: PipelineDependencies) {
  const { authentication, check, grantName, origins } = dependencies;
  const inTurn = createTurns(MOST_WAITING);

  async function identify(route: Route, incoming: Incoming): Promise<Caller | null> {
    if (route.browser_only) {
      requireSameSite(incoming.credentials, origins);
      refuseKeyBesideCookie(incoming.credentials);
    }
    if (route.access === 'public') return null;
    const caller = await authentication.authenticate(incoming.credentials, route.access);
    authentication.requireInteractive(caller, route.access);
    return caller;
  }

  async function readInput(route: Route, incoming: Incoming) {
    const schema = route.body ?? (route.method === 'GET' ? undefined : NoFields);
    const body = await readJsonBody(incoming.raw, { ...route, body: schema });
    return {
      body: schema ? parseShape(schema, body, 'invalid_body') : undefined,
      query: route.query ? parseShape(route.query, incoming.query, 'invalid_query') : undefined,
      params: route.params ? parseParams(route, incoming.params) : undefined,
      request: incoming.facts,
    };
  }

  async function attempt(route: Route, caller: Caller | null, input: Input): Promise<Reply> {
    if (caller) await requireAccess(check, grantName, caller, route.access);
    return route.handle({ ...input, caller });
  }

  /** From authentication on, until nobody moves the authority between decision and commit. */
  async function decideAgain({ route, incoming, input }: Overtaken, until: number): Promise<Reply> {
    while (Date.now() < until) {
      try {
        return await attempt(route, await identify(route, incoming), input);
      } catch (error) {
        if (!(error instanceof Moved)) throw error;
        await setTimeout(5 + Math.random() * 45);
      }
    }
    throw unavailable('authority kept moving');
  }

  return async function answer(route: Route, incoming: Incoming): Promise<Reply> {
    let caller = await identify(route, incoming);
    const began = Date.now();
    const input = await readInput(route, incoming);
    if (Date.now() - began > SLOW_BODY_MS) caller = await identify(route, incoming);
    try {
      return await attempt(route, caller, input);
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
      const until = Date.now() + DECIDE_AGAIN_MS;
      const again = () => decideAgain({ route, incoming, input }, until);
      // Side by side, all but one would be overtaken each time.
      return caller ? inTurn(scopeName(caller.owner), again) : again();
    }
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
