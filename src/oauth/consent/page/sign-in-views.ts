import type { Translator } from '../../../texts/texts.ts';
import type { PageWords } from './elements.ts';
import { alert, button, denyForm, field, form, page, script, text } from './elements.ts';

/** Path of the script that renews an expired session. */
export const SESSION_SCRIPT = '/oauth/consent-session.js';
/** Path of the accounts' script that signs in with a passkey. */
const PASSKEY_SCRIPT = '/passkey-button.js';

/** How a person can sign in, besides with a password. */
export interface SignInMethods {
  providers: readonly { id: string; name: string }[];
  /** Whether this page can use passkeys. */
  passkeys: boolean;
}

/** Renders the sign-in; every way of it returns to the page of the request. */
export const signInView = (
  words: PageWords,
  options: SignInMethods & { client: string; uid: string; email: string; message: string | null },
): string => {
  const { translate } = words;
  const { client, email, message, passkeys } = options;
  const back = `return_path=${returnPathOf(options.uid)}`;
  const links = options.providers.map(
    ({ id, name }) =>
      `<a class="other" href="/api/auth/oauth/${encodeURIComponent(id)}?${back}">${text(translate('sign_in_with', { provider: name }))}</a>`,
  );
  return page(
    words,
    translate('sign_in_title'),
    `<p dir="auto">${text(translate('sign_in_body', { client }))}</p>
${alert(message)}
${form(`${field(translate('email'), `name="email" type="email" value="${text(email)}" required maxlength="254" autocomplete="username" dir="ltr"`)}
${field(translate('password'), 'name="password" type="password" required maxlength="1024" autocomplete="current-password" dir="ltr"')}
<div class="stack">${button('sign_in', translate('sign_in'))}</div>
<h2 class="or">${text(translate('other_ways'))}</h2>
<div class="ways">
${button('sso', translate('sso'), ' class="other" formnovalidate')}
${links.join('\n')}
</div>`)}
${passkeys ? passkeySection(words, '/api/auth/passkey') : ''}
<hr>
${denyForm(words)}`,
    script(SESSION_SCRIPT) + (passkeys ? script(PASSKEY_SCRIPT) : ''),
  );
};

const returnPathOf = (uid: string) => encodeURIComponent(`/oauth/consent/${uid}`);

/** Renders the second step of a sign-in. */
export const codeView = (
  words: PageWords,
  { token, passkey, message }: { token: string; passkey: boolean; message: string | null },
): string => {
  const { translate } = words;
  return page(
    words,
    translate('code_title'),
    `<p>${text(translate('code_body'))}</p>
${alert(message)}
${form(`<input type="hidden" name="token" value="${text(token)}">
${passkey ? '<input type="hidden" name="passkey" value="yes">' : ''}
${field(translate('code'), 'name="code" required maxlength="64" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" dir="ltr"')}
<div class="stack">${button('second_factor', translate('sign_in'))}</div>`)}
${passkey ? passkeySection(words, '/api/auth/login/second-factor', token) : ''}`,
    passkey ? script(PASSKEY_SCRIPT) : '',
  );
};

// Hidden until the script runs: without it the button does nothing.
const passkeySection = ({ translate }: Translator, endpoint: string, token?: string) =>
  `<section id="passkey" hidden data-endpoint="${endpoint}"${token === undefined ? '' : ` data-token="${text(token)}"`}
 data-failed="${text(translate('passkey_failed'))}" data-limited="${text(translate('rate_limited'))}"
 data-unavailable="${text(translate('unavailable'))}">
<p><button type="button" class="other">${text(translate('passkey'))}</button></p>
<p role="alert" class="bad"></p>
</section>`;

/** Returns where single sign-on starts that returns to the page of the request. */
export const ssoUrlOf = (start: string, uid: string): string =>
  `${start}?return_path=${returnPathOf(uid)}`;
