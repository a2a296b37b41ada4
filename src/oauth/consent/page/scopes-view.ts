import { everyTeamScope } from '../../../authz/permissions.ts';
import type { Translator } from '../../../texts/texts.ts';
import { partsOf } from '../broad-scopes.ts';
import type { Offer } from '../offer.ts';
import { checkbox, disclosure, group, off, text, unavailable } from './elements.ts';
import { groupScopes } from './scope-groups.ts';
import type { ScopeGroup } from './scope-groups.ts';

const CONTEXTS = ['personal', 'organization', 'team'] as const;

/** More groups than these are shown on demand. */
const MAX_OPEN_GROUPS = 6;

/**
 * Renders the requested scopes. A broad scope is shown as off while one of its parts is left out, as
 * it is then not granted; style alone does that, so that it needs no script.
 */
export function scopesView(
  words: Translator,
  offer: Offer,
  chosen: ReadonlySet<string> | null,
): string {
  const { translate } = words;
  const { mcp, management } = groupScopes(offer.scopes.filter((name) => name !== everyTeamScope));
  const choice = createChoice(words, offer, chosen);
  const used = mcp.map(({ name, noun }) => ({ name, label: translate(`nouns.${noun}`) }));
  const managed = CONTEXTS.map((context) =>
    contextView(words, choice, {
      title: translate(`context_${context}`),
      groups: management.filter((one) => one.context === context),
    }),
  );
  const broad = offer.scopes.includes(everyTeamScope) ? broadView(words, choice) : '';
  return `<div class="scopes">
<style>${offRules(offer)}</style>
${used.length === 0 ? '' : choice.group(translate('use'), used)}
${management.length === 0 && broad === '' ? '' : `<h2>${text(translate('manage'))}</h2>\n<p class="quiet">${text(translate('implied'))}</p>`}
${managed.join('\n')}
${broad}
</div>`;
}

interface Labeled {
  name: string;
  label: string;
}
type CreateChoice = ReturnType<typeof createChoice>;

function createChoice({ translate }: Translator, offer: Offer, chosen: ReadonlySet<string> | null) {
  const one = ({ name, label }: Labeled): string => {
    if (offer.unavailable.has(name)) return unavailable(label);
    const isChosen = chosen?.has(name) ?? true;
    const box = checkbox({ name: 'scope', value: name, label, isChosen });
    return isBroad(name, offer)
      ? `<div class="${classOf(name, offer)}">${box}${off(translate('off', { permission: label }))}</div>`
      : box;
  };
  const notes = (names: readonly string[]) =>
    [
      names.some((name) => isBroad(name, offer))
        ? `<p class="note off ${names.map((name) => classOf(name, offer)).join(' ')}">${text(translate('left_out'))}</p>`
        : '',
      names.some((name) => offer.unavailable.has(name))
        ? `<p class="note">${text(translate('not_held'))}</p>`
        : '',
    ].join('');
  return {
    one,
    notes,
    group: (legend: string, scopes: readonly Labeled[]) =>
      group(
        legend,
        `<div class="choices">${scopes.map(one).join('\n')}</div>${notes(scopes.map(({ name }) => name))}`,
      ),
  };
}

const isBroad = (name: string, { scopes, unavailable: lacking }: Offer) =>
  !lacking.has(name) && partsOf(name, scopes).length > 0;
const classOf = (name: string, { scopes }: Offer) => `s${scopes.indexOf(name)}`;

/** Returns the rules that show a broad scope as off while one of its parts is not ticked. */
const offRules = (offer: Offer): string =>
  offer.scopes
    .filter((name) => isBroad(name, offer))
    .map((name) => {
      const parts = partsOf(name, offer.scopes);
      const lacking = parts.some((part) => offer.unavailable.has(part));
      const selectors = parts.map((part) => `[value="${part}"]:not(:checked)`);
      const scopes = lacking ? '.scopes' : `.scopes:has(${selectors.join(', ')})`;
      const own = `${scopes} .${classOf(name, offer)}`;
      return `${own} > .on { display: none } ${own} > .off { display: flex } ${own}.note { display: block }`;
    })
    .join('\n');

/** Renders the scopes of one context, which are shown on demand if there are many. */
function contextView(
  { language, translate }: Translator,
  choice: CreateChoice,
  { title, groups }: { title: string; groups: readonly ScopeGroup[] },
): string {
  if (groups.length === 0) return '';
  const nouns = groups.map(({ noun }) => translate(`nouns.${noun}`));
  const lists = groups.map(({ scopes }, index) =>
    choice.group(
      nouns[index]!,
      scopes.map(({ name, verb }) => ({ name, label: translate(`verbs.${verb}`) })),
    ),
  );
  return disclosure({
    ...{ title, partly: translate('partly'), isOpen: groups.length <= MAX_OPEN_GROUPS },
    count: groups.reduce((sum, { scopes }) => sum + scopes.length, 0),
    summary: new Intl.ListFormat(language).format(nouns),
    content: lists.join('\n'),
  });
}

/** Renders the scope for all team permissions apart from the others, most of which it includes. */
const broadView = ({ translate }: Translator, choice: CreateChoice): string => `<div class="broad">
${choice.one({ name: everyTeamScope, label: translate('nouns.all_teams') })}
<p class="note">${text(translate('all_teams_note'))}</p>
${choice.notes([everyTeamScope])}
</div>`;
