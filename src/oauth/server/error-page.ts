import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { escapeHtml } from '../../platform/http/html.ts';
import { PAGE_POLICY, renderOAuthPage } from '../page/page.ts';

/**
 * Shows an authorization request that cannot be answered to its client: the client is unknown, or
 * the address to answer to is not registered.
 */
export async function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  ctx.set('content-security-policy', PAGE_POLICY);
  ctx.type = 'html';
  ctx.body = renderOAuthPage({
    language: 'en',
    direction: 'ltr',
    title: 'This request cannot be authorized',
    body: `<p>${escapeHtml(out.error)}</p>`,
  });
}
