import { asRefusal } from '../../../platform/errors/outage.ts';
import type { Offer } from '../offer.ts';
import type { ConsentDecision } from '../schema.ts';
import type { Chosen } from './choices.ts';

/** Returns what was chosen in a form, so that it is shown again. */
export const chosenIn = (form: URLSearchParams): Chosen => ({
  scopes: new Set(form.getAll('scope')),
  followsTeams: form.get('teams') === 'all',
  teams: new Set(form.getAll('team')),
  agent: form.get('agent') ?? '',
});

/** Returns the decision of a form in which everything that is not chosen is left out. */
export function decisionIn(form: URLSearchParams, offer: Offer): ConsentDecision {
  const { scopes, followsTeams, teams, agent } = chosenIn(form);
  const isInOrganization = offer.client.organization_id !== null;
  // A team that the person has left out must not be among those that are followed.
  const isEveryTeamChosen = offer.teams.every(({ id }) => teams.has(id));
  const follows = offer.follows_teams && followsTeams && isEveryTeamChosen;
  return {
    allow: true,
    scopes: [...scopes],
    ...(isInOrganization && !follows ? { team_ids: [...teams] } : {}),
    default_agent_id: agent === '' ? null : agent,
  };
}

const MESSAGES: Readonly<Record<string, string>> = {
  empty_list: 'choose',
  unknown_scope: 'choose',
  unknown_team: 'choose',
  invalid_email: 'no_sso',
  agent_unavailable: 'agent_gone',
  not_a_member: 'not_a_member',
  organization_suspended: 'organization_suspended',
  rate_limited: 'rate_limited',
};

/** Returns the key of the message for an error; null for one that is not the person's. */
export function messageOf(error: unknown, unauthenticated: string | null): string | null {
  const refusal = asRefusal(error);
  if (refusal === null) return null;
  if (refusal.kind === 'unauthenticated') return unauthenticated;
  return MESSAGES[refusal.code] ?? null;
}
