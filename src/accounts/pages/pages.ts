import { scriptPage } from '../../platform/http/script-page.ts';
import { preferredLanguage, translatedLanguages } from '../../texts/languages.ts';
import type { TranslatedLanguage } from '../../texts/languages.ts';
import { createTexts } from '../../texts/texts.ts';
import { renderPage, SCRIPT_PATH } from './render-page.ts';
import type { SmallPage } from './render-page.ts';

/** A page or script that the gateway serves unchanged, under its content security policy. */
export interface AccountPage {
  path: string;
  content_type: string;
  handle(request: { accept_language: string | null }): {
    status: number;
    body: string;
    headers?: Readonly<Record<string, string>>;
  };
}

/**
 * Pages that e-mailed links and sign-ins lead to. They wait for a click, so that a mail scanner's
 * GET does nothing.
 */
const pages: readonly SmallPage[] = [
  { path: '/verify', name: 'verify', posts_to: '/api/auth/verify-email' },
  {
    path: '/reset',
    name: 'reset',
    posts_to: '/api/auth/password/reset/confirm',
    field: { name: 'password', kind: 'new_password' },
  },
  { path: '/email/confirm', name: 'email_confirm', posts_to: '/api/user/email/confirm' },
  { path: '/email/undo', name: 'email_undo', posts_to: '/api/user/email/undo' },
  {
    path: '/invite',
    name: 'invite',
    posts_to: '/api/invitations/{token}/accept',
    shows: { from: '/api/invitations/{token}', rows: ['organization', 'invited_by', 'email'] },
  },
  {
    path: '/sign-in/second-factor',
    name: 'second_factor',
    posts_to: '/api/auth/login/second-factor',
    field: { name: 'code', kind: 'code' },
    offers_passkey: true,
    continues: true,
  },
  {
    path: '/sign-in/email',
    name: 'sign_in_email',
    posts_to: '/api/user/email',
    field: { name: 'email', kind: 'email' },
    in_session: true,
  },
  { path: '/sign-in/refused', name: 'sign_in_refused', posts_to: null },
];

/**
 * Returns the pages, each in the browser's preferred language, and the scripts they share. They link
 * to the dashboard at `dashboardOrigin`; null if it has the same origin.
 */
export function accountPages(publicUrl: string, dashboardOrigin: string | null): AccountPage[] {
  const { host } = new URL(publicUrl);
  const translatorFor = createTexts();
  return [
    ...pages.map((page) =>
      inLanguages(page, (language) =>
        renderPage(page, translatorFor('pages', language), {
          ...{ host, dashboard: dashboardOrigin ?? '' },
        }),
      ),
    ),
    scriptPage(SCRIPT_PATH, new URL('./page.js', import.meta.url)),
    scriptPage('/passkey.js', new URL('./passkey.js', import.meta.url)),
    scriptPage('/passkey-button.js', new URL('./passkey-button.js', import.meta.url)),
  ];
}

function inLanguages(
  { path }: SmallPage,
  render: (language: TranslatedLanguage) => string,
): AccountPage {
  const bodies = new Map<TranslatedLanguage, string>();
  return {
    path,
    content_type: 'text/html; charset=utf-8',
    handle({ accept_language }) {
      const language = preferredLanguage(accept_language, translatedLanguages) ?? 'en';
      const headers = { 'content-language': language, vary: 'Accept-Language' };
      const body = bodies.get(language) ?? render(language);
      bodies.set(language, body);
      return { status: 200, body, headers };
    },
  };
}
