import { look } from '../look/look.ts';
import { escapeHtml } from '../platform/http/html.ts';
import type { Translator } from '../texts/texts.ts';

/** The parts of an e-mail, in reading order. */
export interface EmailParts {
  wording: Pick<Translator, 'language' | 'direction'>;
  subject: string;
  greeting: string;
  body: string;
  /** Null if the e-mail has no link. */
  button: Button | null;
  note: string;
  footer: string;
}

interface Button {
  action: string;
  link: string;
  /** Instructions in case the button does not work. */
  fallback: string;
}

/** Renders an e-mail as HTML and as plain text. */
export const renderLayout = (parts: EmailParts): { html: string; text: string } => ({
  html: renderHtml(parts),
  text: renderText(parts),
});

const renderText = ({ greeting, body, button, note, footer }: EmailParts) => {
  const action = button === null ? [] : [`${button.action}:\n${button.link}`];
  return `${[greeting, body, ...action, note, `-- \n${footer}`].join('\n\n')}\n`;
};

const FONT = `font-family:${look.font}`;
const RADIUS = 16 * look.radius.md;
const light = (name: keyof typeof look.colors) => look.colors[name][0];
const dark = (name: keyof typeof look.colors) => look.colors[name][1];
const MUTED_COLOR = `color:${light('quiet')}`;
/** The mark without a picture: e-mails have none. Clients that ignore a part of it show a square. */
const MARK = `<span style="display:inline-block;width:24px;height:24px;margin-inline-end:8px;border-radius:6px;background:${light('accent')};text-align:center;vertical-align:middle"><span style="display:inline-block;width:8px;height:8px;margin-top:6px;border:2px solid ${light('on-accent')};border-bottom:0;border-radius:6px 6px 0 0"></span></span>`;

// Mail clients with dark mode apply these; the others use the colors of the attributes.
const STYLE = `
  :root { color-scheme: light dark; supported-color-schemes: light dark }
  @media (prefers-color-scheme: dark) {
    .page { background: ${dark('page')} !important }
    .card { background: ${dark('surface')} !important; border-color: ${dark('rule')} !important }
    .card, .card p, .brand { color: ${dark('text')} !important }
    .card .quiet, .card .quiet a, .foot { color: ${dark('quiet')} !important }
  }`;

const TABLE = `role="presentation" cellpadding="0" cellspacing="0" border="0"`;

const paragraph = (style: string, html: string, name = '') =>
  `<p${name && ` class="${name}"`} style="margin:0 0 20px;${style}">${html}</p>`;

const buttonOf = ({
  action,
  link,
}: Button) => `<table ${TABLE} style="margin:0 0 20px"><tr><td bgcolor="${light('accent')}" style="border-radius:${RADIUS}px;background:${light('accent')}">
<a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;${FONT};font-size:16px;font-weight:600;color:${light('on-accent')};text-decoration:none">${escapeHtml(action)}</a>
</td></tr></table>`;

const addressOf = ({ fallback, link }: Button) =>
  paragraph(
    `margin:0;font-size:13px;${MUTED_COLOR}`,
    `${escapeHtml(fallback)}<br>
<a href="${escapeHtml(link)}" dir="ltr" style="${MUTED_COLOR};word-break:break-all">${escapeHtml(link)}</a>`,
    'quiet',
  );

/** Renders with tables and inline styles, which old and new mail clients display alike. */
function renderHtml(parts: EmailParts): string {
  const { wording, button } = parts;
  const [subject, greeting, body, note, footer] = (
    ['subject', 'greeting', 'body', 'note', 'footer'] as const
  ).map((name) => escapeHtml(parts[name]));
  const side = wording.direction === 'rtl' ? 'right' : 'left';
  return `<!doctype html>
<html lang="${wording.language}" dir="${wording.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${STYLE}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${light('page')}">
<div style="display:none;max-height:0;overflow:hidden">${body}${'&#8199;&#847;'.repeat(40)}</div>
<table ${TABLE} width="100%" class="page" bgcolor="${light('page')}" style="background:${light('page')}">
<tr><td align="center" style="padding:24px 12px">
<table ${TABLE} width="100%" style="max-width:520px">
<tr><td class="brand" align="${side}" dir="${wording.direction}"
 style="padding:0 2px 12px;${FONT};font-size:16px;font-weight:600;color:${light('text')}">${MARK}toolgate</td></tr>
<tr><td class="card" align="${side}" bgcolor="${light('surface')}" dir="${wording.direction}"
 style="padding:28px;border:1px solid ${light('rule')};border-radius:${16 * look.radius.lg}px;background:${light('surface')};color:${light('text')};${FONT};font-size:16px;line-height:1.5">
${paragraph('font-size:18px;font-weight:600', greeting!)}
${paragraph('', body!)}
${button === null ? '' : buttonOf(button)}
${paragraph('', note!)}
${button === null ? '' : addressOf(button)}
</td></tr>
<tr><td class="foot" align="${side}" dir="${wording.direction}"
 style="padding:12px 2px;${FONT};font-size:12px;line-height:1.5;${MUTED_COLOR}">${footer}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}
