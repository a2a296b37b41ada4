import type { IncomingMessage } from 'node:http';
import type { Retry } from '../../authz/authz.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import { identifyNow } from '../../caller/read-identified.ts';
import type { Identified } from '../../caller/read-identified.ts';
import { requireNotSuspended } from '../../caller/refusals.ts';
import type { Denial, MadeDecision } from '../../decision-log/decision-log.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Visibility } from '../../visibility/visibility.ts';
import { stillAuthorized } from '../protocol/authorization.ts';
import type { RereadableAuthorization } from '../protocol/authorization.ts';
import type { McpRequest } from '../protocol/handler.ts';
import { organizationOf } from '../protocol/organization.ts';

/** What is known of a request besides its headers. */
export type RequestFacts = Pick<McpRequest, 'address'> & { id: string };

export interface ContextsDependencies {
  /** Returns the principal of the request's credential; reads only headers. */
  authenticate(request: IncomingMessage, facts: RequestFacts): Promise<AgentPrincipal>;
  visibility: Pick<Visibility, 'view'>;
  recordDecision(decision: MadeDecision): void;
  retry: Retry;
  log: Log;
}

// For items that change while they are read; the same limit as for calls.
const RETRY_MS = 10_000;

/** Returns whether any message is a request other than `ping`; only those may need items. */
const usesItems = (body: unknown): boolean =>
  (Array.isArray(body) ? body : [body]).some(
    (message: unknown) =>
      typeof message === 'object' &&
      message !== null &&
      'method' in message &&
      'id' in message &&
      message.method !== 'ping',
  );

/** A caller, and what is known of its request. */
interface Connecting extends RequestFacts {
  caller: AgentPrincipal;
}

/** Creates the function that returns what a protocol version needs to handle a request. */
export function createContexts(dependencies: ContextsDependencies) {
  const { authenticate, retry } = dependencies;
  const reach = createViewReader(dependencies);

  return function contextIn(
    request: IncomingMessage,
    facts: RequestFacts,
    { sender, body }: { sender: Identified<AgentPrincipal>; body: unknown },
  ): Promise<McpRequest> {
    const { method, headers } = request;
    const { id, address } = facts;
    const isConnected = method === 'GET' || usesItems(body);
    const identifyAgain = () => identifyNow(() => authenticate(request, facts));
    const authorize: RereadableAuthorization['authorize'] = async ({ caller, read_at }) => ({
      caller,
      read_at,
      view: await reach(request, { caller, ...facts }, isConnected),
    });
    const contextOf = async (identified: Identified<AgentPrincipal>): Promise<McpRequest> => ({
      ...(await authorize(identified)),
      request_id: id,
      address,
      body,
      identify: identifyAgain,
      authorize,
      version: (headers['mcp-protocol-version'] as string | undefined) ?? null,
    });
    return retry({
      attempt: async () => stillAuthorized(await contextOf(sender)),
      retry: async () => stillAuthorized(await contextOf(await identifyAgain())),
      contended: null,
      until: performance.now() + RETRY_MS,
    });
  };
}

function createViewReader(dependencies: ContextsDependencies) {
  const { authenticate, visibility, log } = dependencies;

  /** Records that a caller may not connect at all. */
  function refused({ caller, id }: Connecting, denial: Denial): void {
    const made = { caller, request_id: id, action: 'can_connect', denial };
    const organization_id = organizationOf(caller);
    dependencies.recordDecision({ ...made, organization_id, team_id: null, cached: null });
  }

  function requireActive(connecting: Connecting): void {
    try {
      requireNotSuspended(connecting.caller);
    } catch (error) {
      refused(connecting, { layer: 'organization', reason: 'organization_suspended' });
      throw error;
    }
  }

  /**
   * Returns a function that reads the principal's view. If the principal must be `connected`, reads
   * the view now and throws if it is not. In an outage, only the returned function throws.
   */
  return async function reach(
    request: IncomingMessage,
    connecting: Connecting,
    connected: boolean,
  ): Promise<McpRequest['view']> {
    const { caller } = connecting;
    if (!connected) {
      requireActive(connecting);
      return () => visibility.view(caller);
    }
    const reading = visibility.view(caller);
    const known = await reading.catch((error: unknown) => {
      if (asRefusal(error)?.kind !== 'unavailable') throw error;
      log.warn({ err: error }, 'could not read what a caller may access');
      return null;
    });
    if (known?.connected === false) {
      // Throws 401 if the credential was revoked in the meantime, as for every later request.
      await authenticate(request, connecting);
      // Otherwise the owner is no longer a member, which is revealed only to this credential (A6).
      refused(connecting, { layer: 'absent', reason: 'not_connected' });
      throw absent('the caller may not connect');
    }
    requireActive(connecting);
    return () => reading;
  };
}
