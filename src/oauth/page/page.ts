import { escapeHtml } from '../../platform/http/html.ts';

/** A page of the authorization server in one language; `body` is HTML. */
export interface OAuthPage {
  language: string;
  direction: 'ltr' | 'rtl';
  title: string;
  body: string;
  /** HTML of further elements in the head. */
  head?: string;
}

/** Renders a page that needs no script, and whose only style is its own. */
export const renderOAuthPage = ({ language, direction, title, body, head = '' }: OAuthPage) =>
  `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} – toolgate</title>
<style>${STYLE}</style>
${head}</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;

/** The content security policy of these pages: forms go only to the service itself. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    --page: #f4f5f7; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #8c959f;
    --link: #1c4fd7; --bad: #b42318 }
  @media (prefers-color-scheme: dark) { :root { --page: #111418; --card: #1b1f24; --text: #e8eaed;
    --quiet: #a9b1ba; --line: #6e7781; --link: #8ab4ff; --bad: #ff9d92 } }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; padding: 1rem; display: grid; place-items: center;
    background: var(--page); color: var(--text) }
  main { width: 100%; max-width: 34rem; padding: 2rem; border-radius: 10px; background: var(--card) }
  h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .75rem; overflow-wrap: anywhere }
  h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem }
  p { margin: 0 0 1rem; overflow-wrap: anywhere }
  :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
  a { color: var(--link) }
  h3 { font-size: 1rem; margin: 1rem 0 .25rem }
  dl { margin: 0 0 1rem }
  dt { color: var(--quiet); font-size: .9rem }
  dd { margin: 0 0 .5rem; font-weight: 600; overflow-wrap: anywhere }
  fieldset { margin: 0 0 1rem; padding: .5rem 1rem .75rem; border: 1px solid var(--line);
    border-radius: 6px; min-width: 0 }
  legend { font-weight: 600; padding: 0 .35rem }
  .choice { display: flex; gap: .6rem; align-items: start; padding: .3rem 0; min-height: 2rem }
  .choice input { width: 1.15rem; height: 1.15rem; margin: .2rem 0; flex: none }
  .field { display: block; font-weight: 600; margin: 0 0 1rem }
  .field input, .field select { display: block; width: 100%; margin: .35rem 0 0; padding: .65rem;
    font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
    border-radius: 6px }
  form { margin: 0 0 1rem }
  button { font: inherit; font-weight: 600; padding: .7rem 1.2rem; border: 0; border-radius: 6px;
    background: #1c4fd7; color: #fff; cursor: pointer; max-width: 100%; overflow-wrap: anywhere }
  .decision { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 1rem }
  .quiet { color: var(--quiet) }
  .bad { color: var(--bad) }
`;
