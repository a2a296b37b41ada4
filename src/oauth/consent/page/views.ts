import { lookalikeOf } from '../known-names.ts';
import type { Offer } from '../offer.ts';
import { hostOf, targetOf } from '../redirect-target.ts';
import { choicesView } from './choices.ts';
import type { Chosen } from './choices.ts';
import { alert, button, caution, facts, form, page, text } from './elements.ts';
import type { PageWords } from './elements.ts';

/** Of a button that does not stand out. */
const OTHER = ' class="other"';

/** Renders the decision: everything requested is chosen until the person leaves something out. */
export function consentView(
  words: PageWords,
  offer: Offer,
  options: {
    account: { id: string; email: string };
    agents: readonly { id: string; name: string }[];
    chosen: Chosen | null;
    message: string | null;
  },
): string {
  const { translate } = words;
  const { client, interaction, organization, refused } = offer;
  const title = organization === null ? 'title' : 'title_organization';
  const because = refused ?? (hasNone(offer) ? 'nothing_held' : null);
  const choices = refused === null ? choicesView(words, offer, options) : '';
  const known = lookalikeOf(client.name, interaction.redirect_uri);
  return page(
    words,
    translate(title, { client: client.name, organization: organization?.name ?? '' }),
    `${known === null ? '' : caution(text(translate('lookalike', { known })))}
<form id="sign-out" method="post"></form>
${factsOf(words, offer, options.account)}
${because === null ? '' : `<p class="bad">${text(translate(because))}</p>`}${alert(options.message)}
${form(`<input type="hidden" name="account" value="${text(options.account.id)}">
${because === null ? `<p>${text(translate('ticked'))}</p>` : ''}
${choices}
${because === null ? `<p class="quiet">${text(translate(lastsOf(client)))}</p>` : ''}
<div class="buttons">
${because === null ? choiceButtons(words, known !== null) : button('deny', translate('deny'), OTHER)}
</div>`)}`,
  );
}

/**
 * Renders the buttons, which look alike: neither decision is suggested. If the name looks like that
 * of a known client, denying comes first, which the Enter key presses, and stands out.
 */
function choiceButtons({ translate }: PageWords, isLookalike: boolean): string {
  const allow = button('allow', translate('allow'), OTHER);
  return isLookalike
    ? `${button('deny', translate('deny'))}\n${allow}`
    : `${allow}\n${button('deny', translate('deny'), OTHER)}`;
}

/** Returns the text that says how long access lasts. */
function lastsOf({ owner, grant_types }: Offer['client']) {
  if (owner.kind === 'service') return 'lasts_session';
  return grant_types.includes('refresh_token') ? 'lasts' : 'lasts_hour';
}

/** Renders who registered the client, who receives the answer, and who decides. */
function factsOf(
  { language, translate }: PageWords,
  { client, interaction }: Offer,
  account: { id: string; email: string },
): string {
  const { id, name, email } = client.owner;
  const isOurs = client.owner.kind === 'service';
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const [registrant = id, ...names] =
    id === account.id ? [translate('you')] : [name, email].filter((one) => one !== null);
  const target = targetOf(interaction.redirect_uri);
  const host = hostOf(interaction.redirect_uri);
  return facts([
    isOurs
      ? { label: translate('client'), value: translate('built_in') }
      : {
          ...{ label: translate('owner'), value: registrant },
          notes: [...names, translate('since', { date: date.format(new Date(client.created_at)) })],
        },
    {
      label: translate('goes_to'),
      ...(target === 'site' ? { value: host } : { value: translate(target), notes: [host] }),
    },
    {
      ...{ label: translate('account'), value: account.email },
      more: button('sign_out', translate('other_account'), ' class="plain" form="sign-out"'),
    },
  ]);
}

const hasNone = ({ scopes, unavailable }: Offer) => scopes.every((name) => unavailable.has(name));

/**
 * Renders the way to another site. A redirect of the form would end at that site, which the content
 * security policy does not let forms go to.
 */
export const onwardView = (words: PageWords, title: string, to: string): string => {
  const { translate } = words;
  return page(
    words,
    title,
    `<p>${text(translate('back_body'))}</p>\n<p><a class="button" href="${text(to)}">${text(translate('continue'))}</a></p>`,
    `<meta http-equiv="refresh" content="0; url=${text(to)}">\n`,
  );
};

export const endedView = (words: PageWords): string =>
  page(words, words.translate('ended_title'), `<p>${text(words.translate('ended_body'))}</p>`);

/** Renders a failure that may pass, with a link to try again. */
export const unavailableView = (words: PageWords, uid: string): string =>
  page(
    words,
    words.translate('ended_title'),
    `<p role="alert">${text(words.translate('unavailable'))}</p>\n<p><a class="button" href="/oauth/consent/${encodeURIComponent(uid)}">${text(words.translate('continue'))}</a></p>`,
  );
