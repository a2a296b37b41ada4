import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { escapeHtml } from '../../platform/http/html.ts';
import { renderDocument } from '../../platform/http/document.ts';
import { preferredLanguage, translatedLanguages } from '../../texts/languages.ts';
import { createTexts } from '../../texts/texts.ts';
import { PAGE_POLICY } from '../page-policy.ts';

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

const translatorFor = createTexts();

/**
 * Shows an authorization request that cannot be answered to its client: the client is unknown, or
 * the address to answer to is not registered.
 */
export const renderError = async (ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> =>
  showPage(ctx, REASONS[out.error] ?? 'invalid_request');

/** Replaces the body of a response by a page. */
export function showPage(ctx: KoaContextWithOIDC, reason: PageReason): void {
  const { headers, html } = errorPage(ctx.get('accept-language') || null, reason);
  ctx.set(headers);
  ctx.vary('Accept-Language');
  ctx.type = 'html';
  ctx.body = html;
}

/** Returns the page that tells a person why an authorization request is not answered. */
export function errorPage(accepted: string | null, reason: PageReason) {
  const words = translatorFor('oauth', preferredLanguage(accepted, translatedLanguages) ?? 'en');
  const { language, direction, translate } = words;
  return {
    headers: { 'content-security-policy': PAGE_POLICY, 'content-language': language },
    html: renderDocument({
      ...{ language, direction, title: translate('refused_title') },
      body: `<p>${escapeHtml(translate(reason))}</p>`,
    }),
  };
}
