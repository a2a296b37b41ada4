import type { ColorScheme } from '../../look/color-scheme.ts';
import { renderDocument } from '../../look/document.ts';
import { escapeHtml } from '../../platform/http/html.ts';
import { texts } from '../../texts/texts.ts';
import type { Texts, Translator } from '../../texts/texts.ts';

/** A page with at most one form; its texts are `pages.<name>`. */
export interface SmallPage {
  path: string;
  name: Exclude<keyof Texts['pages'], 'frame' | 'errors'>;
  /**
   * Endpoint that receives the link's token and the field, or only the field if `in_session`.
   * `{token}` in its path is replaced by the link's token. Null if the page only shows a reason.
   */
  posts_to: string | null;
  /** Details of the link, read from an endpoint. The page's texts have a label for each row. */
  shows?: LinkDetails;
  field?: Field;
  /**
   * Offers to use a passkey if the link lists that method: gets options from `<posts_to>/options`,
   * then posts `{token, passkey}`.
   */
  offers_passkey?: boolean;
  /** Needs a session instead of a link, and can be skipped. */
  in_session?: boolean;
  /** Continues to the dashboard after success, without another click. */
  continues?: boolean;
}

interface LinkDetails {
  from: string;
  rows: readonly string[];
}

interface Field {
  name: string;
  kind: 'new_password' | 'code' | 'email';
}

export const SCRIPT_PATH = '/small-page.js';

/**
 * Renders a page in one language. The script's messages are in `data-words`. `dashboard` is the
 * origin the page links to, or '' if the page has the same origin.
 */
export function renderPage(
  page: SmallPage,
  { language, direction, translate }: Translator,
  { host, dashboard, color_scheme }: { host: string; dashboard: string; color_scheme: ColorScheme },
): string {
  const pageText = (key: string) => translate(`${page.name}.${key}`);
  const isNextHidden = page.posts_to !== null && !page.in_session;
  const words = page.posts_to === null ? reasonsOf(pageText) : textsOf(page, pageText, translate);
  return renderDocument({
    ...{ language, direction, color_scheme, host, title: pageText('title') },
    head: `<script type="module" src="${SCRIPT_PATH}"></script>\n`,
    attributes: ` data-words="${escapeHtml(JSON.stringify(words))}"
 data-dashboard="${escapeHtml(dashboard)}"${page.continues ? ' data-continues' : ''}${page.in_session ? ' data-in-session' : ''}`,
    body: `${page.posts_to === null ? '' : formOf(page, pageText)}
<p role="status" id="status"></p>
<p id="next"${isNextHidden ? ' hidden' : ''}><a href="${escapeHtml(dashboard)}/">${escapeHtml(page.in_session ? pageText('skip') : translate('frame.home'))}</a></p>
<noscript><p>${escapeHtml(translate('frame.script'))}</p></noscript>`,
  });
}

type Translate = (key: string) => string;

const textsOf = (page: SmallPage, pageText: Translate, translate: Translate) => ({
  done: pageText('done'),
  home: translate('frame.home'),
  ...(page.offers_passkey ? { passkey_failed: pageText('passkey_failed') } : {}),
  wait: translate('frame.wait'),
  incomplete: translate('frame.incomplete'),
  unanswered: translate('frame.unanswered'),
  errors: translateAll(Object.keys(texts.en.pages.errors), (code) => translate(`errors.${code}`)),
});

/** Returns the messages for a refused third-party sign-in, by the code in `#reason=`. */
const reasonsOf = (pageText: Translate) => ({
  reasons: translateAll(Object.keys(texts.en.pages.sign_in_refused), pageText),
});

const translateAll = (keys: readonly string[], translate: Translate) =>
  Object.fromEntries(keys.map((key) => [key, translate(key)]));

// Hidden until the script runs: without it the form cannot be sent.
const formOf = (
  page: SmallPage,
  pageText: Translate,
) => `<form method="post" action="${page.posts_to}" hidden>
<p>${escapeHtml(pageText('body'))}</p>
${page.shows ? previewOf(page.shows, pageText) : ''}${page.field ? fieldOf(page.field, pageText) : ''}<button type="submit">${escapeHtml(pageText('action'))}</button>
</form>${page.offers_passkey ? passkeyOf(pageText) : ''}`;

const previewOf = (
  { from, rows }: LinkDetails,
  pageText: Translate,
) => `<dl id="preview" data-from="${from}" hidden>
${rows.map((row) => `<div data-row="${row}"><dt>${escapeHtml(pageText(row))}</dt><dd><bdi></bdi></dd></div>`).join('\n')}
</dl>
`;

const passkeyOf = (pageText: Translate) =>
  `\n<button id="passkey" type="button" hidden>${escapeHtml(pageText('passkey'))}</button>`;

function fieldOf({ name, kind }: Field, pageText: Translate): string {
  const label = `<label for="field">${escapeHtml(pageText(name))}</label>\n`;
  if (kind === 'code')
    return `${label}<input id="field" name="${name}" required maxlength="64" autocomplete="one-time-code"
 autocapitalize="none" spellcheck="false" dir="ltr" aria-describedby="status">\n`;
  if (kind === 'email')
    return `${label}<input id="field" name="${name}" type="email" required maxlength="254"
 autocomplete="email" dir="ltr" aria-describedby="status">\n`;
  return `${label}<input id="field" name="${name}" type="password" required minlength="12"
 maxlength="128" autocomplete="new-password" dir="ltr" aria-describedby="rule status">
<p id="rule">${escapeHtml(pageText('rule'))}</p>
<p><label><input id="show" type="checkbox"> ${escapeHtml(pageText('show'))}</label></p>\n`;
}
