import { escapeHtml } from '../../platform/http/html.ts';
import { texts } from '../../texts/texts.ts';
import type { Texts, Wording } from '../../texts/texts.ts';

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
  { language, direction, translate }: Wording,
  dashboard: string,
): string {
  const pageText = (key: string) => translate(`${page.name}.${key}`);
  const title = escapeHtml(pageText('title'));
  const isNextHidden = page.posts_to !== null && !page.in_session;
  const words = page.posts_to === null ? reasonsOf(pageText) : textsOf(page, pageText, translate);
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – toolgate</title>
<style>${STYLE}</style>
<script type="module" src="${SCRIPT_PATH}"></script>
</head>
<body>
<main data-words="${escapeHtml(JSON.stringify(words))}"
 data-dashboard="${escapeHtml(dashboard)}"${page.continues ? ' data-continues' : ''}${page.in_session ? ' data-in-session' : ''}>
<h1>${title}</h1>
${page.posts_to === null ? '' : formOf(page, pageText)}
<p role="status" id="status"></p>
<p id="next"${isNextHidden ? ' hidden' : ''}><a href="${escapeHtml(dashboard)}/">${escapeHtml(page.in_session ? pageText('skip') : translate('frame.home'))}</a></p>
<noscript><p>${escapeHtml(translate('frame.script'))}</p></noscript>
</main>
</body>
</html>
`;
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
${rows.map((row) => `<div data-row="${row}"><dt>${escapeHtml(pageText(row))}</dt><dd dir="auto"></dd></div>`).join('\n')}
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

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    --page: #f4f5f7; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #8c959f;
    --link: #1c4fd7; --bad: #b42318 }
  @media (prefers-color-scheme: dark) { :root { --page: #111418; --card: #1b1f24; --text: #e8eaed;
    --quiet: #a9b1ba; --line: #6e7781; --link: #8ab4ff; --bad: #ff9d92 } }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; padding: 1rem; display: grid; place-items: center;
    background: var(--page); color: var(--text) }
  main { width: 100%; max-width: 27rem; padding: 2rem; border-radius: 10px; background: var(--card) }
  h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .75rem }
  p { margin: 0 0 1rem }
  [hidden] { display: none }
  dl { margin: 0 0 1rem }
  dt { color: var(--quiet); font-size: .9rem }
  dd { margin: 0 0 .5rem; font-weight: 600; overflow-wrap: anywhere }
  label { font-weight: 600 }
  p label { font-weight: 400 }
  input:not([type=checkbox]) { display: block; width: 100%; margin: .35rem 0 1rem; padding: .65rem;
    font: inherit; color: inherit; background: transparent; border: 1px solid var(--line);
    border-radius: 6px }
  [aria-invalid=true] { border-color: var(--bad) }
  #rule { color: var(--quiet); font-size: .9rem; margin-top: -.6rem }
  button { font: inherit; font-weight: 600; padding: .7rem 1.2rem; border: 0; border-radius: 6px;
    background: #1c4fd7; color: #fff; cursor: pointer }
  form:not([hidden]) + button { margin-top: 1rem }
  button[aria-disabled=true] { opacity: .6; cursor: default }
  :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
  a { color: var(--link) }
  #status { min-height: 1.5em; margin: 1rem 0 0 }
  #status.bad { color: var(--bad) }
  #next { margin: 1rem 0 0 }
`;
