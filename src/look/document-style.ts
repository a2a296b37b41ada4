import { lookVariables } from './look.ts';

/** The style of the gateway's own pages, which have one card each. */
export const DOCUMENT_STYLE = `${lookVariables()}
  :root { color-scheme: light dark; font: var(--text-lg)/1.5 var(--font) }
  :root[data-color-scheme=light] { color-scheme: light }
  :root[data-color-scheme=dark] { color-scheme: dark }
  * { box-sizing: border-box }
  [hidden] { display: none !important }
  body { margin: 0; min-height: 100vh; padding: var(--space-md); display: grid;
    gap: var(--space-md); align-content: center; justify-items: center; background: var(--page);
    color: var(--text); -webkit-font-smoothing: antialiased }
  header, main { width: 100%; max-width: 30rem }
  header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between;
    gap: var(--space-2xs) var(--space-md) }
  header span { display: flex; align-items: center; gap: var(--space-xs) }
  header b { font-weight: 600 }
  header bdi { color: var(--quiet); font-size: var(--text-md); overflow-wrap: anywhere }
  main { padding: var(--space-xl); border: 1px solid var(--rule);
    border-radius: var(--radius-lg); background: var(--surface) }
  @media (max-width: 30rem) { main { padding: 1.25rem } }
  main > :last-child { margin-bottom: 0 }
  h1 { font-size: var(--text-title); font-weight: 600; line-height: 1.3; margin: 0 0 var(--space-md);
    letter-spacing: -.01em; overflow-wrap: anywhere; text-wrap: balance }
  h2 { font-size: var(--text-lg); font-weight: 600; margin: var(--space-md) 0 .35rem }
  p { margin: 0 0 var(--space-md); overflow-wrap: anywhere; text-wrap: pretty }
  hr { margin: var(--space-lg) 0; border: 0; border-top: 1px solid var(--rule) }
  a { color: var(--link); text-underline-offset: .15em }
  code { font: var(--text-md) var(--mono); overflow-wrap: anywhere }
  :focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
  dl { margin: 0 0 var(--space-md) }
  dt { color: var(--quiet); font-size: var(--text-md) }
  dd { margin: 0 0 var(--space-xs); font-weight: 500; overflow-wrap: anywhere }
  .facts { padding: var(--space-2xs) 0; border-block: 1px solid var(--rule) }
  .facts > div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: 0 var(--space-md);
    align-items: baseline; padding: .4rem 0 }
  .facts dd { margin: 0 }
  .facts .quiet { font-weight: 400; font-size: var(--text-md) }
  @media (max-width: 30rem) { .facts > div { grid-template-columns: minmax(0, 1fr) } }
  form { margin: 0 0 var(--space-md) }
  form:empty { display: none }
  fieldset { margin: 0; padding: var(--space-xs) 0; border: 0; min-width: 0 }
  fieldset + fieldset { border-top: 1px solid var(--rule) }
  legend { font-weight: 600; padding: 0; float: inline-start; width: 100% }
  legend + * { clear: both }
  label { font-weight: 500 }
  p label, .choice { font-weight: 400 }
  .field { display: block }
  input:not([type=checkbox], [type=radio]), select { display: block; width: 100%;
    margin: .35rem 0 var(--space-md); padding: .6rem .7rem; font: inherit; font-weight: 400;
    color: inherit; background: var(--surface); border: 1px solid var(--line);
    border-radius: var(--radius-md) }
  input:focus, select:focus { outline: 2px solid var(--link); outline-offset: -1px }
  [aria-invalid=true] { border-color: var(--bad) }
  #rule { color: var(--quiet); font-size: var(--text-md); margin-top: -.6rem }
  .choices { display: flex; flex-wrap: wrap; gap: 0 1.25rem }
  .choice { display: flex; gap: var(--space-xs); align-items: start; margin: 0;
    padding: var(--space-2xs) 0; min-height: 2rem }
  .choice span { overflow-wrap: anywhere }
  .choice input { width: 1.1rem; height: 1.1rem; margin: .2rem 0; flex: none;
    accent-color: var(--accent) }
  .off, .partly { display: none }
  .note { margin: 0; font-size: var(--text-md); color: var(--quiet) }
  details { border: 1px solid var(--rule); border-radius: var(--radius-md);
    margin: 0 0 var(--space-sm) }
  details > fieldset { margin: 0 var(--space-md) }
  details > .choices { margin: 0 var(--space-md) .6rem }
  details:has(input:not(:checked)) .partly { display: inline }
  summary { padding: .7rem var(--space-md); border-radius: var(--radius-md); cursor: pointer }
  summary:hover { background: var(--hover) }
  summary .quiet { display: block; font-size: var(--text-md); overflow-wrap: anywhere }
  [open] > summary .quiet { display: none }
  .count, .partly { font-size: var(--text-sm); padding: .05rem var(--space-xs); border-radius: 1rem;
    background: var(--hover); color: var(--quiet); font-variant-numeric: tabular-nums }
  .broad, .caution { margin: 0 0 var(--space-md); padding: .6rem var(--space-md);
    border-radius: var(--radius-md); background: var(--warning-tint); color: var(--on-warning) }
  .broad .choice { font-weight: 600 }
  .broad .note, .broad .quiet { color: inherit }
  button, .button { display: inline-block; font: inherit; font-weight: 500; padding: .6rem 1.1rem;
    border: 1px solid transparent; border-radius: var(--radius-md); background: var(--accent);
    color: var(--on-accent); cursor: pointer; max-width: 100%; overflow-wrap: anywhere;
    text-align: center; text-decoration: none }
  button:hover, .button:hover { background: var(--accent-hover) }
  button[aria-disabled=true] { opacity: .6; cursor: default }
  .other { border-color: var(--line); background: var(--surface); color: var(--text) }
  .other:hover { background: var(--hover) }
  .plain, .plain:hover { padding: .1rem 0; border: 0; border-radius: var(--radius-sm);
    background: none; color: var(--link); font-weight: 400; font-size: var(--text-md);
    text-decoration: underline; text-align: start }
  dd > .plain { display: block }
  .stack { display: grid; gap: var(--space-md) }
  .or { margin: var(--space-lg) 0 .6rem; font-size: var(--text-md); font-weight: 400;
    color: var(--quiet) }
  .ways { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem }
  .ways > *, #passkey .other { width: 100%; padding: var(--space-xs); font-size: var(--text-md) }
  .ways > * { display: grid; align-content: center }
  .buttons { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
    gap: var(--space-md) }
  .quiet { color: var(--quiet) }
  .bad { color: var(--bad) }
  #status { min-height: 1.5em; margin: var(--space-md) 0 0 }
  #status:empty { min-height: 0; margin: 0 }
  #next { margin: var(--space-md) 0 0 }
  .mail { margin: 0; border-radius: 0; border-width: 1px 0 0 }
  .mail > summary { padding-inline: 0 }
  .mail .note { display: block }
  .mail pre { margin: 0; padding: 0 0 var(--space-md); white-space: pre-wrap;
    overflow-wrap: anywhere; font: inherit; font-size: var(--text-md) }
`;
