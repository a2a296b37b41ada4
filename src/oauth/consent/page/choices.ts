import type { Translator } from '../../../texts/texts.ts';
import type { Offer } from '../offer.ts';
import { checkbox, disclosure, group, off, text } from './elements.ts';
import { scopesView } from './scopes-view.ts';

/** What a person has chosen so far; null before the first answer. */
export interface Chosen {
  scopes: ReadonlySet<string>;
  followsTeams: boolean;
  teams: ReadonlySet<string>;
  agent: string;
}

interface Agent {
  id: string;
  name: string;
}

/** Renders what the person chooses from: everything that can be granted is chosen at first. */
export const choicesView = (
  words: Translator,
  offer: Offer,
  { agents, chosen }: { agents: readonly Agent[]; chosen: Chosen | null },
): string =>
  [
    scopesView(words, offer, chosen?.scopes ?? null),
    teamsView(words, offer, chosen),
    agents.length === 0 ? '' : agentsView(words, agents, chosen?.agent ?? ''),
  ].join('\n');

/** More teams than these are shown on demand. */
const MAX_OPEN_TEAMS = 8;
/** Teams that are followed include all of the person's: leaving one out ends that. */
const FOLLOWING = `<style>.teams:has([name=team]:not(:checked)) .later > .on { display: none }
.teams:has([name=team]:not(:checked)) .later > .off { display: flex }</style>`;

function teamsView({ translate }: Translator, offer: Offer, chosen: Chosen | null): string {
  if (offer.client.organization_id === null) return '';
  const boxes = offer.teams.map(({ id, name }) =>
    checkbox({ name: 'team', value: id, label: name, isChosen: chosen?.teams.has(id) ?? true }),
  );
  const label = translate('teams_later');
  const isChosen = chosen?.followsTeams ?? true;
  const later = `${FOLLOWING}<div class="later">${checkbox({ name: 'teams', value: 'all', label, isChosen })}${off(translate('off', { permission: label }))}</div>`;
  if (boxes.length === 0 && !offer.follows_teams) return '';
  const content = `<div class="choices teams">${boxes.join('\n')}${offer.follows_teams ? later : ''}</div>`;
  return boxes.length <= MAX_OPEN_TEAMS
    ? group(translate('teams'), content)
    : disclosure({
        ...{ title: translate('teams'), count: boxes.length, partly: translate('partly') },
        ...{ summary: '', isOpen: false, content },
      });
}

function agentsView({ translate }: Translator, agents: readonly Agent[], current: string): string {
  const options = [{ id: '', name: translate('agent_none') }, ...agents].map(
    ({ id, name }) =>
      `<option value="${text(id)}"${id === current ? ' selected' : ''}>${text(name)}</option>`,
  );
  return `<label class="field">${text(translate('agent'))}<select name="agent">${options.join('')}</select></label>`;
}
