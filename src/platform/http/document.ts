import { escapeHtml } from './html.ts';

/** A page of the gateway in one language. `head`, `attributes` and `body` are HTML. */
interface Document {
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
  const { language, direction, head = '', attributes = '', body } = document;
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
<main${attributes}>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
};

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    --page: #f4f5f7; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #8c959f;
    --link: #1c4fd7; --bad: #b42318 }
  @media (prefers-color-scheme: dark) { :root { --page: #111418; --card: #1b1f24; --text: #e8eaed;
    --quiet: #a9b1ba; --line: #6e7781; --link: #8ab4ff; --bad: #ff9d92 } }
  * { box-sizing: border-box }
  [hidden] { display: none !important }
  body { margin: 0; min-height: 100vh; padding: 1rem; display: grid; place-items: center;
    background: var(--page); color: var(--text) }
  main { width: 100%; max-width: 30rem; padding: 2rem; border-radius: 10px; background: var(--card) }
  main > :last-child { margin-bottom: 0 }
  h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .75rem; overflow-wrap: anywhere }
  h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem }
  h3 { font-size: 1rem; margin: 1rem 0 .5rem }
  p { margin: 0 0 1rem; overflow-wrap: anywhere }
  a { color: var(--link) }
  :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
  dl { margin: 0 0 1rem }
  dt { color: var(--quiet); font-size: .9rem }
  dd { margin: 0 0 .5rem; font-weight: 600; overflow-wrap: anywhere }
  form { margin: 0 0 1rem }
  fieldset { margin: 0 0 1rem; padding: .5rem 1rem .75rem; border: 1px solid var(--line);
    border-radius: 6px; min-width: 0 }
  legend { font-weight: 600; padding: 0 .35rem }
  label { font-weight: 600 }
  p label, .choice { font-weight: 400 }
  .field { display: block }
  input:not([type=checkbox], [type=radio]), select { display: block; width: 100%;
    margin: .35rem 0 1rem; padding: .65rem; font: inherit; font-weight: 400; color: inherit;
    background: var(--card); border: 1px solid var(--line); border-radius: 6px }
  [aria-invalid=true] { border-color: var(--bad) }
  #rule { color: var(--quiet); font-size: .9rem; margin-top: -.6rem }
  .choice { display: flex; gap: .6rem; align-items: start; padding: .3rem 0; min-height: 2rem }
  .choice input { width: 1.15rem; height: 1.15rem; margin: .2rem 0; flex: none }
  button { font: inherit; font-weight: 600; padding: .7rem 1.2rem; border: 0; border-radius: 6px;
    background: #1c4fd7; color: #fff; cursor: pointer; max-width: 100%; overflow-wrap: anywhere }
  button[aria-disabled=true] { opacity: .6; cursor: default }
  .other { display: block; width: 100%; padding: .65rem 1rem; border: 1px solid var(--line);
    border-radius: 6px; background: transparent; color: var(--link); font-weight: 600;
    text-align: center; text-decoration: none; overflow-wrap: anywhere }
  .stack { display: grid; gap: 1rem }
  .buttons { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 1rem }
  .quiet { color: var(--quiet) }
  .bad { color: var(--bad) }
  #status { min-height: 1.5em; margin: 1rem 0 0 }
  #next { margin: 1rem 0 0 }
`;
