import { escapeHtml } from './html.ts';

/** A page of the gateway in one language. `head`, `attributes` and `body` are HTML. */
interface Document {
  /** The host of the service, which every page names. */
  host: string;
  language: string;
  direction: 'ltr' | 'rtl';
  title: string;
  /** Further elements of the head. */
  head?: string;
  /** Attributes of the main element, each after a space. */
  attributes?: string;
  body: string;
}

/** Renders a page whose only style is the one that all pages of the gateway share. */
export const renderDocument = (document: Document): string => {
  const { language, direction, host, head = '', attributes = '', body } = document;
  const title = escapeHtml(document.title);
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – toolgate</title>
<style>${STYLE}</style>
${head}</head>
<body>
<header><span>${MARK} <b>toolgate</b></span> <bdi dir="ltr">${escapeHtml(host)}</bdi></header>
<main${attributes}>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
};

/** The service's mark: a gate with an opening. */
const MARK = `<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
<rect width="24" height="24" rx="6" fill="#1c4fd7"/>
<path d="M6 18v-6.5a6 6 0 0 1 12 0V18M12 18v-6" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/>
</svg>`;

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    --page: #f4f5f7; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #8c959f;
    --rule: #d8dce1; --hover: #eef0f3; --link: #1c4fd7; --bad: #b42318; --caution: #fff4d6;
    --on-caution: #5c3d00 }
  @media (prefers-color-scheme: dark) { :root { --page: #111418; --card: #1b1f24; --text: #e8eaed;
    --quiet: #a9b1ba; --line: #6e7781; --rule: #363d45; --hover: #262c33; --link: #8ab4ff;
    --bad: #ff9d92; --caution: #3a2e10; --on-caution: #ffdf9b } }
  * { box-sizing: border-box }
  [hidden] { display: none !important }
  body { margin: 0; min-height: 100vh; padding: 1rem; display: grid; gap: 1rem;
    align-content: center; justify-items: center; background: var(--page); color: var(--text) }
  header, main { width: 100%; max-width: 32rem }
  header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem }
  header svg { margin-inline-end: .35rem; vertical-align: -.35rem }
  header bdi { color: var(--quiet); overflow-wrap: anywhere }
  main { padding: 2rem; border: 1px solid var(--rule); border-radius: 12px; background: var(--card) }
  @media (max-width: 30rem) { main { padding: 1.25rem } }
  main > :last-child { margin-bottom: 0 }
  h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem; overflow-wrap: anywhere;
    text-wrap: balance }
  h2 { font-size: 1.05rem; margin: 1rem 0 .35rem }
  p { margin: 0 0 1rem; overflow-wrap: anywhere }
  hr { margin: 1.25rem 0; border: 0; border-top: 1px solid var(--rule) }
  a { color: var(--link) }
  :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
  dl { margin: 0 0 1rem }
  dt { color: var(--quiet); font-size: .9rem }
  dd { margin: 0 0 .5rem; font-weight: 600; overflow-wrap: anywhere }
  .facts { padding: .25rem 0; border-block: 1px solid var(--rule) }
  .facts > div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: 0 1rem;
    align-items: baseline; padding: .4rem 0 }
  .facts dd { margin: 0 }
  .facts .quiet { font-weight: 400; font-size: .9rem }
  @media (max-width: 30rem) { .facts > div { grid-template-columns: minmax(0, 1fr) } }
  form { margin: 0 0 1rem }
  form:empty { display: none }
  fieldset { margin: 0; padding: .5rem 0; border: 0; min-width: 0 }
  fieldset + fieldset { border-top: 1px solid var(--rule) }
  legend { font-weight: 600; padding: 0; float: inline-start; width: 100% }
  legend + * { clear: both }
  label { font-weight: 600 }
  p label, .choice { font-weight: 400 }
  .field { display: block }
  input:not([type=checkbox], [type=radio]), select { display: block; width: 100%;
    margin: .35rem 0 1rem; padding: .65rem; font: inherit; font-weight: 400; color: inherit;
    background: var(--card); border: 1px solid var(--line); border-radius: 8px }
  [aria-invalid=true] { border-color: var(--bad) }
  #rule { color: var(--quiet); font-size: .9rem; margin-top: -.6rem }
  .choices { display: flex; flex-wrap: wrap; gap: 0 1.25rem }
  .choice { display: flex; gap: .5rem; align-items: start; margin: 0; padding: .25rem 0;
    min-height: 2rem }
  .choice span { overflow-wrap: anywhere }
  .choice input { width: 1.1rem; height: 1.1rem; margin: .2rem 0; flex: none;
    accent-color: #1c4fd7 }
  .off, .partly { display: none }
  .note { margin: 0; font-size: .9rem; color: var(--quiet) }
  details { border: 1px solid var(--rule); border-radius: 8px; margin: 0 0 .75rem }
  details > fieldset { margin: 0 1rem }
  details > .choices { margin: 0 1rem .6rem }
  details:has(input:not(:checked)) .partly { display: inline }
  summary { padding: .7rem 1rem; border-radius: 8px; cursor: pointer }
  summary:hover { background: var(--hover) }
  summary .quiet { display: block; font-size: .9rem; overflow-wrap: anywhere }
  [open] > summary .quiet { display: none }
  .count, .partly { font-size: .85rem; padding: .05rem .5rem; border-radius: 1rem;
    background: var(--hover); color: var(--quiet) }
  .broad, .caution { margin: 0 0 1rem; padding: .6rem 1rem; border-radius: 8px;
    background: var(--caution); color: var(--on-caution) }
  .broad .choice { font-weight: 600 }
  .broad .note, .broad .quiet { color: inherit }
  button, .button { display: inline-block; font: inherit; font-weight: 600; padding: .65rem 1.2rem;
    border: 1px solid transparent; border-radius: 8px; background: #1c4fd7; color: #fff;
    cursor: pointer; max-width: 100%; overflow-wrap: anywhere; text-decoration: none }
  button:hover, .button:hover { background: #163fae }
  button[aria-disabled=true] { opacity: .6; cursor: default }
  .other { display: block; padding: .65rem 1rem; border: 1px solid var(--line); border-radius: 8px;
    background: transparent; color: var(--text); font-weight: 600; text-align: center;
    text-decoration: none; overflow-wrap: anywhere }
  .other:hover { background: var(--hover) }
  .plain, .plain:hover { padding: .1rem 0; border: 0; border-radius: 4px; background: none;
    color: var(--link); font-weight: 400; font-size: .9rem; text-decoration: underline;
    text-align: start }
  dd > .plain { display: block }
  .stack { display: grid; gap: 1rem }
  .or { margin: 1.25rem 0 .6rem; font-size: .9rem; font-weight: 400; color: var(--quiet) }
  .ways { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem }
  .ways > *, #passkey .other { width: 100%; padding: .5rem; font-size: .9rem; font-weight: 500 }
  .ways > * { display: grid; align-content: center }
  .buttons { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 1rem }
  .quiet { color: var(--quiet) }
  .bad { color: var(--bad) }
  #status { min-height: 1.5em; margin: 1rem 0 0 }
  #next { margin: 1rem 0 0 }
`;
