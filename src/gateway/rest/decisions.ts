import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { contendedBy } from '../../authz/authz.ts';
import type { Contended } from '../../authz/authz.ts';
import { isInteractive } from '../../caller/access.ts';
import type { Access } from '../../caller/access.ts';
import type { Principal } from '../../caller/principal.ts';
import { confirmed } from '../../caller/confirmed.ts';
import type { RequireReauthentication } from '../../caller/reauthentication.ts';
import { identifyNow } from '../../caller/read-identified.ts';
import type { Identified } from '../../caller/read-identified.ts';
import type { Reauthentication, RequestFacts, Route } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { isUuid } from '../../platform/ids.ts';
import { createRequireAccess } from './access.ts';
import type { Check } from './access.ts';
import { createDecisionRecords } from './decision-records.ts';
import type { DecisionRecordsDependencies } from './decision-records.ts';
import type { createAuthenticate } from '../senders/authenticate.ts';
import { refuseKeyWithCookie } from '../senders/credentials.ts';
import type { RequestCredentials } from '../senders/credentials.ts';
import type { Reauthenticate } from './reauthentication.ts';
import { requireSameSite } from '../http/same-site.ts';
import type { Origins } from '../http/same-site.ts';

export interface DecisionsDependencies extends DecisionRecordsDependencies {
  authentication: ReturnType<typeof createAuthenticate>;
  check: Check;
  requireReauthentication: RequireReauthentication;
  origins: Origins;
}

export interface Incoming {
  raw: IncomingMessage;
  credentials: RequestCredentials;
  params: unknown;
  query: unknown;
  facts: RequestFacts;
}

/** What identifies the sender of a request. */
export type IncomingSender = Pick<Incoming, 'credentials' | 'params'>;

/** Null for a public route. */
export type Sender = Identified<Principal | null>;

/** What a decision is about. */
export interface Decided {
  route: Route;
  /** `params` is undefined if the path contains an invalid id. */
  input: { params: unknown; request: Pick<RequestFacts, 'id'>; reauthenticate: Reauthenticate };
  /** Identifies the sender once more. */
  identify(): Promise<Principal | null>;
  /** Deadline, in the time of `performance.now()`. */
  until: number;
}

/** That the sender may make the request. */
export interface Decision {
  caller: Principal | null;
  /** Null unless the route requires it before its handler. */
  reauthentication: Reauthentication | null;
  /** Whether OpenFGA was not called for it. */
  cached: boolean;
}

/** Decides who sent a request, and whether they may. */
export function createDecisions(dependencies: DecisionsDependencies) {
  const { authentication, origins } = dependencies;
  const requireAccess = createRequireAccess(dependencies);
  const records = createDecisionRecords(dependencies);

  /** Throws unless the route's access allows the caller. */
  async function authorize(
    route: Route,
    caller: Principal | null,
    { params }: Pick<Decided['input'], 'params'>,
    onAsked?: () => void,
  ): Promise<void> {
    if (caller === null) return;
    await requireAccess({
      ...{ principal: caller, access: route.access, params: params ?? {} },
      async requireObject() {
        requireParams(route, params);
        await route.object?.({ caller, params });
      },
      ...(onAsked === undefined ? {} : { onAsked }),
    });
  }

  /** Throws likewise, and records that; returns whether OpenFGA was not called. */
  async function authorizeRecorded(
    { route, input }: Pick<Decided, 'route' | 'input'>,
    caller: Principal | null,
  ): Promise<boolean> {
    let cached = true;
    const onAsked = () => {
      cached = false;
    };
    try {
      await authorize(route, caller, input, onAsked);
      return cached;
    } catch (error) {
      records.denied(decidedRequest(route, input, { caller, cached }), error);
      throw error;
    }
  }

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
    try {
      authentication.requireInteractive(caller, route.access);
    } catch (error) {
      const { params, facts: request } = incoming;
      records.denied(decidedRequest(route, { params, request }, { caller, cached: null }), error);
      throw error;
    }
    return caller;
  }

  /** Decides, and returns the decision as it stands, whatever that waited for. */
  async function decide(request: Decided, first: Sender): Promise<Decision> {
    const { route, input, until } = request;
    let cached = true;
    const decideOn = async (sender: Sender) => {
      cached = (await authorizeRecorded(request, sender.caller)) && cached;
      return sender;
    };
    await decideOn(first);
    const reauthentication = await input.reauthenticate(first.caller);
    requireParams(route, input.params);
    const standing = { identify: () => identifyNow(request.identify), decide: decideOn, until };
    const { caller } = await confirmed(first, standing);
    return { caller, reauthentication, cached };
  }

  /** Identifies the sender after the response began; throws 401 if the credential has ended. */
  const identifyLater = async (
    { access }: Route,
    { credentials, params }: IncomingSender,
    caller: Principal | null,
  ) =>
    caller && authentication.authenticateAgain(credentials, caller, access, organizationIn(params));

  return {
    identify,
    identifyLater,
    authorize,
    decide,
    /** Records what was decided on a request that was allowed, once its handler has run. */
    handled: ({ route, input }: Decided, decision: Decision, error: unknown) =>
      records.handled(decidedRequest(route, input, decision), error),
    /** Returns a function that throws if the sender has lost the credential or the permission. */
    createCheck(
      { route, input }: Pick<Decided, 'route' | 'input'>,
      incoming: Incoming,
      sender: Principal | null,
    ) {
      let current = sender;
      return async () => {
        const latest = await identifyLater(route, incoming, current);
        // The states of the scopes are part of the caller, so the same decision stands.
        if (!isDeepStrictEqual(latest, current)) await authorizeRecorded({ route, input }, latest);
        current = latest;
      };
    },
  };
}
export type Decisions = ReturnType<typeof createDecisions>;

const decidedRequest = (
  { access }: Route,
  { params, request }: Pick<Decided['input'], 'params' | 'request'>,
  { caller, cached }: { caller: Principal | null; cached: boolean | null },
) => ({ caller, access, params, request_id: request.id, cached });

function requireParams(route: Route, params: unknown): void {
  if (route.params !== undefined && params === undefined)
    throw absent('the path contains an invalid id');
}

/**
 * Returns what a request competes for with others; null if it takes no turn: it only reads, or the
 * caller does not belong to the organization. Removing one's own credentials takes none, so that a
 * person can lock out a thief who makes changes all the time.
 */
export function contendedOn(
  { method, access, saves_nothing }: Pick<Route, 'method' | 'access' | 'saves_nothing'>,
  caller: Principal | null,
  params: unknown,
): Contended | null {
  if (method === 'GET' || saves_nothing || caller === null || !dependsOnPermission(access))
    return null;
  const isElsewhere = organizationIn(params ?? {}) !== null && caller.organization === null;
  return isElsewhere ? null : contendedBy(caller);
}

const dependsOnPermission = (access: Access): boolean =>
  access !== 'caller' && !(isInteractive(access) && access.interactive === 'ownership');

/** Returns the organization that a path names, so that its scopes are read with the credential. */
export function organizationIn(params: unknown): string | null {
  const { organization_id: id } = params as { organization_id?: string };
  return id !== undefined && isUuid(id) ? id.toLowerCase() : null;
}
