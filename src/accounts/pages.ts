/** A page or script the gateway serves as it is, under its content security policy. */
export interface AccountPage {
  path: string;
  content_type: string;
  handle(): { status: number; body: string };
}

/** The page a verification link opens: one button, so that a mail scanner's GET does nothing. */
export const accountPages = (): AccountPage[] => [
  page('/verify', 'text/html; charset=utf-8', verifyPage),
  page('/verify.js', 'text/javascript; charset=utf-8', verifyScript),
];

const page = (path: string, content_type: string, body: string): AccountPage => ({
  path,
  content_type,
  handle: () => ({ status: 200, body }),
});

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center }
  main { max-width: 26rem; padding: 2rem }
  h1 { font-size: 1.4rem; margin: 0 0 .5rem }
  button { font: inherit; font-weight: 600; padding: .7rem 1.2rem; border: 0; border-radius: 6px;
    background: #1c4fd7; color: #fff; cursor: pointer }
  button:disabled { opacity: .5; cursor: default }
  [role=status] { min-height: 1.5em; margin: 1rem 0 0 }
`;

const verifyPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Confirm your e-mail address</title>
<style>${STYLE}</style>
<script src="/verify.js" defer></script>
</head>
<body>
<main>
<h1>Confirm your e-mail address</h1>
<p>Press the button, and your account is ready to sign in.</p>
<form method="post" action="/api/auth/verify-email">
<button type="submit">Confirm this address</button>
</form>
<p role="status" aria-live="polite"></p>
<noscript><p>This page needs JavaScript to send the confirmation.</p></noscript>
</main>
</body>
</html>
`;

// The token is in the fragment, which no server, log or Referer ever sees.
const verifyScript = `'use strict';
const form = document.querySelector('form');
const button = document.querySelector('button');
const status = document.querySelector('[role=status]');
const token = new URLSearchParams(location.hash.slice(1)).get('token');
const say = (text) => { status.textContent = text; };

if (!token) {
  button.disabled = true;
  say('This link is incomplete. Open it again from the letter.');
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  say('One moment.');
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    if (response.ok) {
      history.replaceState(null, '', location.pathname);
      form.hidden = true;
      say('Your address is confirmed. You can sign in now.');
      return;
    }
    const { errors } = await response.json();
    say(errors[0].message);
    button.disabled = response.status === 422;
  } catch {
    say('The service did not answer. Try again.');
    button.disabled = false;
  }
});
`;
