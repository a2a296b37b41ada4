import { sign } from './passkey.js';

// Runs on pages with a section `#passkey`: shows its button, which signs in with a passkey, then loads
// the page again. The page works without it.
const section = document.querySelector('#passkey');
const button = section.querySelector('button');
const alert = section.querySelector('[role=alert]');
const { endpoint, token, ...words } = section.dataset;

const post = async (path, body) => {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw response;
  return response.json();
};

async function signIn() {
  const begun = await post(`${endpoint}/options`, { token });
  const response = await sign(begun.options);
  if (response === null) return words.failed;
  await post(endpoint, token ? { token, passkey: response } : { token: begun.token, response });
  // Not a reload, which would send a form again.
  location.replace(location.pathname);
  return '';
}

const messageOf = ({ status }) =>
  ({ 401: words.failed, 429: words.limited })[status] ?? words.unavailable;

button.addEventListener('click', async () => {
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  alert.textContent = '';
  alert.textContent = await signIn().catch(messageOf);
  button.ariaDisabled = 'false';
});
section.hidden = !globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON;
