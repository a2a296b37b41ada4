import { escapeHtml } from '../platform/http/html.ts';
import type { ColorScheme } from './color-scheme.ts';
import { DOCUMENT_STYLE } from './document-style.ts';
import { markSvg } from './look.ts';

/** A page of the gateway in one language. `head`, `attributes` and `body` are HTML. */
interface Document {
  /** The host of the service, which every page names. */
  host: string;
  language: string;
  direction: 'ltr' | 'rtl';
  color_scheme: ColorScheme;
  title: string;
  /** Further elements of the head. */
  head?: string;
  /** Attributes of the main element, each after a space. */
  attributes?: string;
  body: string;
}

/** Renders a page whose only style is the one that all pages of the gateway share. */
export const renderDocument = (document: Document): string => {
  const { language, direction, color_scheme, host, head = '', attributes = '', body } = document;
  const title = escapeHtml(document.title);
  const scheme = color_scheme === null ? '' : ` data-color-scheme="${color_scheme}"`;
  return `<!doctype html>
<html lang="${language}" dir="${direction}"${scheme}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${color_scheme ?? 'light dark'}">
<meta name="robots" content="noindex">
<title>${title} – toolgate</title>
<style>${DOCUMENT_STYLE}</style>
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

const MARK = markSvg(' width="24" height="24" aria-hidden="true" focusable="false"');
