import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { escapeHtml } from '../../platform/http/html.ts';
import { renderDocument } from '../../platform/http/document.ts';
import { preferredLanguage, translatedLanguages } from '../../texts/languages.ts';
import { createTexts } from '../../texts/texts.ts';
import { PAGE_POLICY } from '../page-policy.ts';

const REASONS: Readonly<Record<string, string>> = {
  invalid_client: 'unknown_client',
  invalid_redirect_uri: 'unknown_redirect',
  server_error: 'unavailable',
};
const translatorFor = createTexts();

/**
 * Shows an authorization request that cannot be answered to its client: the client is unknown, or
 * the address to answer to is not registered.
 */
export async function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  const accepted = ctx.get('accept-language') || null;
  const words = translatorFor('oauth', preferredLanguage(accepted, translatedLanguages) ?? 'en');
  const { language, direction, translate } = words;
  ctx.set('content-security-policy', PAGE_POLICY);
  ctx.set('content-language', language);
  ctx.vary('Accept-Language');
  ctx.type = 'html';
  ctx.body = renderDocument({
    ...{ language, direction, title: translate('refused_title') },
    body: `<p>${escapeHtml(translate(REASONS[out.error] ?? 'invalid_request'))}</p>`,
  });
}
