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
import { isUuid } from '../../platform/ids.ts';
import { createAuthorize, decidedRequest, requireParams } from './authorize.ts';
import type { AuthorizeDependencies, AuthorizedInput } from './authorize.ts';
import type { createAuthenticate } from '../senders/authenticate.ts';
import { refuseKeyWithCookie } from '../senders/credentials.ts';
import type { RequestCredentials } from '../senders/credentials.ts';
import type { Reauthenticate } from './reauthentication.ts';
import { requireSameSite } from '../http/same-site.ts';
import type { Origins } from '../http/same-site.ts';

export interface DecisionsDependencies extends AuthorizeDependencies {
  authentication: ReturnType<typeof createAuthenticate>;
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
export type IncomingSender = Pick<Incoming, 'credentials' | 'params' | 'facts'>;

/** Null for a public route. */
export type Sender = Identified<Principal | null>;

/** What a decision is about. */
export interface Decided {
  route: Route;
  input: AuthorizedInput & { reauthenticate: Reauthenticate };
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
  const { authorize, authorizeRecorded, records } = createAuthorize(dependencies);
  const authenticate = createAuthentication(authentication, records);

  async function identify(route: Route, incoming: Incoming): Promise<Principal | null> {
    if (route.browser_only) {
      requireSameSite(incoming.credentials, origins);
      refuseKeyWithCookie(incoming.credentials);
    }
    if (route.access === 'public') return null;
    const caller = await authenticate(route, incoming);
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
  const identifyLater = async (route: Route, incoming: IncomingSender, caller: Principal | null) =>
    caller && authenticate(route, incoming, caller);

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

/**
 * Creates the function that authenticates a request, or does so again for a caller. It records the use
 * of a credential from where, or when, it does not work.
 */
const createAuthentication =
  (
    authentication: DecisionsDependencies['authentication'],
    records: ReturnType<typeof createAuthorize>['records'],
  ) =>
  async (
    { access }: Route,
    { credentials, params, facts }: IncomingSender,
    caller: Principal | null = null,
  ): Promise<Principal> => {
    const organization_id = organizationIn(params);
    try {
      return await (caller === null
        ? authentication.authenticate(credentials, access, organization_id)
        : authentication.authenticateAgain(credentials, caller, access, organization_id));
    } catch (error) {
      records.refused({ access, request_id: facts.id }, error);
      throw error;
    }
  };

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
