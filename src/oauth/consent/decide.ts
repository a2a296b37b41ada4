import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import { permissionDenied, requireNotSuspended } from '../../caller/refusals.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { conflict, throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Interaction } from '../server/server.ts';
import { withoutIncomplete } from './broad-scopes.ts';
import type { ConsentDependencies } from './dependencies.ts';
import type { Offer } from './offer.ts';
import type { ConsentDecision } from './schema.ts';

/** Another decision on the same request was stored first. */
class Decided extends Error {}

/** Creates the functions that store a person's decision, unless the request has one. */
export function createDecide(dependencies: ConsentDependencies) {
  const { authz, interactions, connections, database } = dependencies;
  const storeOnce = createStoreOnce(dependencies);

  /** Allowing a client creates a credential, as creating a key does. */
  async function requireCredentialManagement(caller: SessionPrincipal): Promise<void> {
    const answers = await authz.check(caller, [MANAGE], caller.context);
    if (answers.get(MANAGE) !== true) throw permissionDenied(MANAGE);
  }

  async function connect(
    caller: SessionPrincipal,
    offer: Offer,
    decision: ConsentDecision,
    request: RequestFacts,
    as_sent: string,
  ): Promise<void> {
    const { client, interaction } = offer;
    requireAllowed(offer);
    await requireCredentialManagement(caller);
    const { scopes, team_ids } = chosenFrom(offer, decision);
    const default_agent_id = decision.default_agent_id ?? null;
    if (default_agent_id !== null) {
      const agents = await offer.agentsWith(scopes, team_ids);
      if (!agents.some(({ id }) => id === default_agent_id)) throw agentUnavailable();
    }
    const account_id = caller.person;
    const session_id = client.owner.kind === 'service' ? caller.credential.id : null;
    await connections.createDelegated(
      { client, account_id, scopes, team_ids, default_agent_id, session_id },
      { actor: actorOf(caller, request), basis: offer.basis },
      async (transaction, grantId) => {
        const stored = { login: { accountId: account_id }, consent: { grantId }, as_sent };
        if (!(await interactions.decide(transaction, interaction.uid, stored))) throw new Decided();
      },
    );
  }

  return {
    allow(
      caller: SessionPrincipal,
      offer: Offer,
      decision: ConsentDecision,
      request: RequestFacts,
    ): Promise<void> {
      const as_sent = JSON.stringify([caller.person, decision]);
      return storeOnce(offer.interaction, as_sent, request, async () => {
        try {
          await connect(caller, offer, decision, request, as_sent);
          return true;
        } catch (error) {
          if (error instanceof Decided) return false;
          throw error;
        }
      });
    },
    deny(interaction: Interaction, request: RequestFacts): Promise<void> {
      const denied = { ...DENIED, as_sent: 'denied' };
      return storeOnce(interaction, denied.as_sent, request, () =>
        interactions.decide(database.pool, interaction.uid, denied),
      );
    },
  };
}

/** Creates the function that stores a decision, unless the same one is sent again. */
const createStoreOnce =
  ({ interactions }: Pick<ConsentDependencies, 'interactions'>) =>
  async (
    { uid, decided_as }: Interaction,
    as_sent: string,
    request: RequestFacts,
    store: () => Promise<boolean>,
  ): Promise<void> => {
    if (decided_as === null && (await store())) return;
    const first = decided_as ?? (await interactions.find(uid, request.cookies))?.decided_as;
    if (first !== as_sent)
      throw conflict(
        'already_decided',
        'Another decision on this request was made already. Start the authorization again.',
      );
  };

const MANAGE = 'can_manage_keys';
/** The error that the client receives. */
const DENIED = {
  error: 'access_denied',
  error_description: 'The person denied the request.',
} as const;

/** Throws 422 for a person outside the client's organization, and 403 while it is suspended. */
function requireAllowed({ refused }: Offer): void {
  if (refused === 'not_a_member')
    throw unprocessable(
      'not_a_member',
      'Only members of the client’s organization can allow it. Sign in with another account.',
    );
  if (refused !== null) requireNotSuspended({ organization: SUSPENDED });
}
const SUSPENDED = { id: '', status: 'suspended', plan: 'free' } as const;

/**
 * Returns exactly the chosen scopes and teams, except broad scopes of which a part was left out;
 * throws 422 for any that was not requested. A scope that the person does not hold is theirs to give:
 * it takes effect while they hold it (SC4).
 */
function chosenFrom(offer: Offer, decision: ConsentDecision) {
  const chosen = decision.scopes ?? offer.scopes;
  const scopes = withoutIncomplete(new Set(chosen), offer.scopes);
  const requested = new Set(offer.scopes);
  const teams = new Set(offer.teams.map(({ id }) => id));
  throwIfProblems([
    ...chosen.flatMap((name, index) =>
      requested.has(name)
        ? []
        : [beyond('unknown_scope', 'This scope was not requested.', `/scopes/${index}`)],
    ),
    ...(scopes.length === 0
      ? [beyond('empty_list', 'Allow at least one scope with all its parts, or deny.', '/scopes')]
      : []),
    ...(decision.team_ids ?? []).flatMap((id, index) =>
      teams.has(id)
        ? []
        : [beyond('unknown_team', 'The client cannot use this team.', `/team_ids/${index}`)],
    ),
  ]);
  const isInOrganization = offer.client.organization_id !== null;
  const all = offer.follows_teams || !isInOrganization ? null : [...teams];
  return { scopes, team_ids: isInOrganization ? (decision.team_ids ?? all) : null };
}

const beyond = (code: Problem['code'], message: string, pointer: string): Problem => ({
  ...{ code, message },
  detail: { pointer },
});

const agentUnavailable = () =>
  unprocessable('agent_unavailable', 'The agent is not available to this connection.', {
    detail: { pointer: '/default_agent_id' },
  });
