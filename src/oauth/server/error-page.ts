import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import type { RequestFacts } from '../../caller/route.ts';
import { chosenColorScheme, COLOR_SCHEME_COOKIE } from '../../look/color-scheme.ts';
import { renderDocument } from '../../look/document.ts';
import { escapeHtml } from '../../platform/http/html.ts';
import { LANGUAGE_COOKIE, pageLanguage } from '../../texts/languages.ts';
import { createTexts } from '../../texts/texts.ts';
import { PAGE_POLICY } from '../page-policy.ts';
import { currentExchange } from './exchange.ts';

const REASONS: Readonly<Record<string, PageReason>> = {
  invalid_client: 'unknown_client',
  invalid_redirect_uri: 'unknown_redirect',
};

/** Why an authorization request is not answered: a text of its own says it. */
export type PageReason =
  | 'unknown_client'
  | 'unknown_redirect'
  | 'invalid_request'
  | 'rate_limited'
  | 'unavailable';

/** Texts that say what to do next; the other reasons say it themselves. */
const NEXT: Readonly<Partial<Record<PageReason, string>>> = {
  unknown_client: 'next_client',
  unknown_redirect: 'next_redirect',
  invalid_request: 'next_request',
};

/** What is known of a request; all of it is the sender's, and is shown as text. */
interface Details {
  client?: string | null;
  redirect_uri?: string | null;
  error?: string | null;
}

const translatorFor = createTexts();

/**
 * Shows an authorization request that cannot be answered to its client: the client is unknown, or
 * the address to answer to is not registered.
 */
export async function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  const reason = REASONS[out.error] ?? 'invalid_request';
  const { redirect_uri } = ctx.query;
  showPage(ctx, reason, {
    client: currentExchange().client?.name ?? null,
    redirect_uri: typeof redirect_uri === 'string' ? redirect_uri : null,
    error: out.error,
  });
}

/** The dashboard sets these cookies, and no secret is in them. */
const UNSIGNED = { signed: false };

/** Replaces the body of a response by a page. */
export function showPage(ctx: KoaContextWithOIDC, reason: PageReason, details?: Details): void {
  const page = { reason, host: ctx.host, ...details };
  const cookies = Object.fromEntries(
    [COLOR_SCHEME_COOKIE, LANGUAGE_COOKIE].map((name) => [name, ctx.cookies.get(name, UNSIGNED)]),
  );
  const accept_language = ctx.get('accept-language') || null;
  const { headers, html } = errorPage({ accept_language, cookies }, page);
  ctx.set(headers);
  ctx.vary(['Accept-Language', 'Cookie']);
  ctx.type = 'html';
  ctx.body = html;
}

/** Returns the page that tells a person why an authorization request is not answered. */
export function errorPage(
  request: Pick<RequestFacts, 'accept_language' | 'cookies'>,
  { reason, host, ...details }: Details & { reason: PageReason; host: string },
) {
  const words = translatorFor('oauth', pageLanguage(request));
  const { language, direction, translate } = words;
  const client = details.client ?? null;
  const about = translate(reason, { client: client ?? translate('client') });
  const next = NEXT[reason];
  const rows = [
    [translate('client'), client],
    [
      translate('sent_address'),
      reason === 'unknown_redirect' ? printable(details.redirect_uri ?? null) : null,
    ],
    [translate('reported'), next === undefined ? null : (details.error ?? null)],
  ].filter((row): row is [string, string] => row[1] !== null);
  return {
    headers: { 'content-security-policy': PAGE_POLICY, 'content-language': language },
    html: renderDocument({
      ...{ language, direction, host, title: translate('refused_title') },
      color_scheme: chosenColorScheme(request.cookies),
      body: `<p dir="auto">${escapeHtml(about)}</p>
${rows.length === 0 ? '' : `<dl class="facts">${rows.map(([label, value]) => `<div><dt>${escapeHtml(label)}</dt><dd><bdi dir="auto">${escapeHtml(value)}</bdi></dd></div>`).join('')}</dl>`}
${next === undefined ? '' : `<p>${escapeHtml(translate(next))}</p>`}`,
    }),
  };
}

const MAX_CHARACTERS = 300;

/** Writes an address in printable ASCII, so that it cannot be read as a sentence and hides nothing. */
const printable = (uri: string | null): string | null =>
  uri === null
    ? null
    : uri
        .toWellFormed()
        .slice(0, MAX_CHARACTERS)
        .toWellFormed()
        .replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent) +
      (uri.length > MAX_CHARACTERS ? '…' : '');
