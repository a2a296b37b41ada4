import type { RequestFacts } from '../../caller/route.ts';
import { chosenColorScheme } from '../../look/color-scheme.ts';
import type { ColorScheme } from '../../look/color-scheme.ts';
import { scriptPage } from '../../platform/http/script-page.ts';
import { pageLanguage } from '../../texts/languages.ts';
import type { TranslatedLanguage } from '../../texts/languages.ts';
import { createTexts } from '../../texts/texts.ts';
import { renderPage, SCRIPT_PATH } from './render-page.ts';
import type { SmallPage } from './render-page.ts';

/** A page or script that the gateway serves unchanged, under its content security policy. */
export interface AccountPage {
  path: string;
  content_type: string;
  handle(input: { request: Pick<RequestFacts, 'cookies' | 'accept_language'> }): {
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
 * Returns the pages, each in the language and colour scheme of the person, and the scripts they share. They link
 * to the dashboard at `dashboardOrigin`; null if it has the same origin.
 */
export function accountPages(publicUrl: string, dashboardOrigin: string | null): AccountPage[] {
  const { host } = new URL(publicUrl);
  const translatorFor = createTexts();
  return [
    ...pages.map((page) =>
      inLanguages(page, (language, color_scheme) =>
        renderPage(page, translatorFor('pages', language), {
          ...{ host, dashboard: dashboardOrigin ?? '', color_scheme },
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
  render: (language: TranslatedLanguage, scheme: ColorScheme) => string,
): AccountPage {
  const bodies = new Map<string, string>();
  return {
    path,
    content_type: 'text/html; charset=utf-8',
    handle({ request }) {
      const language = pageLanguage(request);
      const scheme = chosenColorScheme(request.cookies);
      const headers = { 'content-language': language, vary: 'Accept-Language, Cookie' };
      const look = `${language} ${scheme}`;
      const body = bodies.get(look) ?? render(language, scheme);
      bodies.set(look, body);
      return { status: 200, body, headers };
    },
  };
}
