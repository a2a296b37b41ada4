import type { Translator } from '../../../texts/texts.ts';
import { hostOf } from '../describe.ts';
import type { Offer } from '../offer.ts';
import { alert, button, checkbox, facts, form, group, page, radio, text } from './elements.ts';
import { groupScopes } from './scope-groups.ts';

/** What a person has chosen so far; null before the first answer. */
export interface Chosen {
  scopes: ReadonlySet<string>;
  followsTeams: boolean;
  teams: ReadonlySet<string>;
  agent: string;
}

const CONTEXTS = ['personal', 'organization', 'team'] as const;

/** Renders the decision: everything requested is chosen until the person leaves something out. */
export function consentView(
  words: Translator,
  offer: Offer,
  options: {
    account: { id: string; email: string };
    agents: readonly { id: string; name: string }[];
    chosen: Chosen | null;
    message: string | null;
  },
): string {
  const { translate } = words;
  const { client, interaction, refused } = offer;
  const { kind, name: owner } = client.owner;
  const values = { client: client.name, organization: owner ?? '' };
  const asks = kind === 'organization' ? 'asks_organization' : 'asks';
  const choices = refused === null ? choicesOf(words, offer, options) : '';
  const note = refused === null ? '' : `<p class="bad">${text(translate(refused))}</p>`;
  return page(
    words,
    translate('title'),
    `<p dir="auto">${text(translate(asks, values))}</p>
${facts([
  [translate('client'), client.name],
  ...(owner === null ? [] : [[translate('owner'), owner] as const]),
  [translate('goes_to'), hostOf(interaction.redirect_uri)],
  [translate('account'), options.account.email],
])}
${form(button('sign_out', translate('other_account'), ' class="other"'))}
${note}${alert(options.message)}
${form(`<input type="hidden" name="account" value="${text(options.account.id)}">${choices}
<div class="buttons">
${refused === null ? button('allow', translate('allow')) : ''}
${button('deny', translate('deny'))}
</div>`)}`,
  );
}

function choicesOf(
  words: Translator,
  offer: Offer,
  { agents, chosen }: { agents: readonly { id: string; name: string }[]; chosen: Chosen | null },
): string {
  const { translate } = words;
  const isScope = (name: string) => chosen?.scopes.has(name) ?? true;
  const { mcp, management } = groupScopes(offer.scopes);
  const scope = (name: string, label: string) =>
    checkbox({ name: 'scope', value: name, label, isChosen: isScope(name) });
  const used = mcp.map(({ name, noun }) => scope(name, translate(`nouns.${noun}`))).join('\n');
  const managed = CONTEXTS.flatMap((context) => {
    const groups = management.filter((one) => one.context === context);
    if (groups.length === 0) return [];
    const lists = groups.map(({ noun, scopes }) =>
      group(
        translate(`nouns.${noun}`),
        scopes.map(({ name, verb }) => scope(name, translate(`verbs.${verb}`))).join('\n'),
      ),
    );
    return [`<h3>${text(translate(`context_${context}`))}</h3>`, ...lists];
  });
  return [
    used === '' ? '' : group(translate('use'), used),
    managed.length === 0
      ? ''
      : `<h2>${text(translate('manage'))}</h2>\n<p class="quiet">${text(translate('implied'))}</p>\n${managed.join('\n')}`,
    teamsOf(words, offer, chosen),
    agents.length === 0 ? '' : agentsOf(words, agents, chosen),
  ].join('\n');
}

function teamsOf({ translate }: Translator, offer: Offer, chosen: Chosen | null): string {
  if (offer.client.organization_id === null) return '';
  const boxes = offer.teams.map(({ id, name }) =>
    checkbox({ name: 'team', value: id, label: name, isChosen: chosen?.teams.has(id) ?? true }),
  );
  const follows = chosen?.followsTeams ?? true;
  const modes = [
    radio({ name: 'teams', value: 'all', label: translate('teams_all'), isChosen: follows }),
    radio({ name: 'teams', value: 'some', label: translate('teams_some'), isChosen: !follows }),
  ];
  if (boxes.length === 0 && !offer.follows_teams) return '';
  return group(translate('teams'), [...(offer.follows_teams ? modes : []), ...boxes].join('\n'));
}

function agentsOf(
  { translate }: Translator,
  agents: readonly { id: string; name: string }[],
  chosen: Chosen | null,
): string {
  const current = chosen?.agent ?? '';
  const options = [{ id: '', name: translate('agent_none') }, ...agents].map(
    ({ id, name }) =>
      `<option value="${text(id)}"${id === current ? ' selected' : ''}>${text(name)}</option>`,
  );
  return `<label class="field">${text(translate('agent'))}<select name="agent">${options.join('')}</select></label>`;
}

/**
 * Renders the way to another site. A redirect of the form would end at that site, which the content
 * security policy does not let forms go to.
 */
export const onwardView = (words: Translator, title: string, to: string): string => {
  const { translate } = words;
  return page(
    words,
    title,
    `<p>${text(translate('back_body'))}</p>\n<p><a href="${text(to)}">${text(translate('continue'))}</a></p>`,
    `<meta http-equiv="refresh" content="0; url=${text(to)}">\n`,
  );
};

export const endedView = (words: Translator): string =>
  page(words, words.translate('ended_title'), `<p>${text(words.translate('ended_body'))}</p>`);

/** Renders a failure that may pass, with a link to try again. */
export const unavailableView = (words: Translator, uid: string): string =>
  page(
    words,
    words.translate('ended_title'),
    `<p role="alert">${text(words.translate('unavailable'))}</p>\n<p><a href="/oauth/consent/${encodeURIComponent(uid)}">${text(words.translate('continue'))}</a></p>`,
  );
