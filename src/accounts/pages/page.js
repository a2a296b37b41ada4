import { sign } from './passkey.js';

// Runs in the browser on every small page. A link's secret is in the fragment, which no server, log
// or Referer sees; it is removed from the address as soon as it is read.
const main = document.querySelector('main');
const form = document.querySelector('form');
const status = document.querySelector('#status');
const next = document.querySelector('#next');
const home = next.querySelector('a');
const field = document.querySelector('#field');
const show = document.querySelector('#show');
const passkey = document.querySelector('#passkey');
const preview = document.querySelector('#preview');
const words = JSON.parse(main.dataset.words);
const isInSession = 'inSession' in main.dataset;
const state = { token: '', takesField: true, takesPasskey: false, isBusy: false };
// The same rule as the service's `readReturnPath`: a path that could lead elsewhere becomes `/`.
const SUSPICIOUS = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\\]/u;

const lookUp = (known, code) => (Object.hasOwn(known, code) ? known[code] : null);

/** Shows a status; on a translated page, the service's English messages are marked as English. */
function showStatus(text, { isBad = false, isForeign = false } = {}) {
  status.classList.toggle('bad', isBad);
  status.lang = isForeign ? 'en' : document.documentElement.lang;
  status.dir = isForeign ? 'ltr' : document.documentElement.dir;
  status.textContent = text;
}

function readReturnPath(path) {
  if (!path?.startsWith('/') || path.startsWith('//') || SUSPICIOUS.test(path)) return '/';
  if (!URL.canParse(path, location.origin)) return '/';
  const url = new URL(path, location.origin);
  const read = `${url.pathname}${url.search}${url.hash}`;
  return url.origin !== location.origin || read.startsWith('//') ? '/' : read;
}

// The same rule as the service's `returnUrl`.
const returnUrl = (path) =>
  path.startsWith('/oauth/consent/') ? path : main.dataset.dashboard + path;

/** Reads which second factors the account has; without the parameter the page shows its field. */
function readMethods(methods) {
  state.takesPasskey = methods?.includes('passkey') ?? false;
  state.takesField = methods?.some((method) => method !== 'passkey') ?? true;
}

/** Shows or hides the inputs the account can use. */
function showInputs(isOpen) {
  form.hidden = !isOpen || !state.takesField;
  if (passkey) passkey.hidden = !isOpen || !state.takesPasskey;
}

function readLink() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  home.setAttribute('href', returnUrl(readReturnPath(fragment.get('return_path'))));
  if (words.reasons)
    return showStatus(lookUp(words.reasons, fragment.get('reason')) ?? words.reasons.failed);
  state.token = fragment.get('token') ?? '';
  const isComplete = isInSession || state.token !== '';
  readMethods(fragment.get('methods')?.split(','));
  history.replaceState(null, '', location.pathname);
  showInputs(isComplete);
  next.hidden = !isInSession;
  showStatus(isComplete ? '' : words.incomplete, { isBad: !isComplete });
  (state.takesField ? field : passkey)?.focus();
  if (isComplete && preview) void showPreview();
}

/** Shows what the link is for, before the person decides with a click. */
async function showPreview() {
  const { token } = state;
  try {
    const response = await fetch(withToken(preview.dataset.from));
    const problem = await problemOf(response.clone());
    // Another link was opened meanwhile.
    if (token !== state.token) return;
    if (problem) return showProblem(problem);
    const { organization, invited_by, email } = await response.json();
    const inviter = [invited_by.first_name, invited_by.last_name].filter(Boolean).join(' ');
    const shown = { organization: organization.name, invited_by: inviter, email };
    for (const row of preview.children) {
      const text = shown[row.dataset.row];
      row.querySelector('bdi').textContent = text;
      row.hidden = text === '';
    }
    preview.hidden = false;
  } catch {
    showStatus(words.unanswered, { isBad: true });
  }
}

/** Replaces `{token}` in an endpoint's path by the link's token. */
const withToken = (path) => path.replace('{token}', encodeURIComponent(state.token));

const post = (path, body) =>
  fetch(withToken(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(isInSession ? body : { token: state.token, ...body }),
  });
const problemOf = async (response) => (response.ok ? null : (await response.json()).errors[0]);

async function sendField() {
  const body = field ? { [field.name]: field.value } : {};
  const response = await post(form.getAttribute('action'), body);
  // Someone who joined an organization continues there.
  if (response.ok && preview)
    home.setAttribute('href', returnUrl(`/app/org/${(await response.clone().json()).id}`));
  return problemOf(response);
}

async function sendPasskey() {
  const response = await post(`${form.getAttribute('action')}/options`);
  if (!response.ok) return problemOf(response);
  const assertion = await sign((await response.json()).options);
  if (assertion === null) return { code: 'authentication_error' };
  return problemOf(await post(form.getAttribute('action'), { passkey: assertion }));
}

function finish() {
  state.token = '';
  showInputs(false);
  showStatus(words.done);
  home.textContent = words.home;
  next.hidden = false;
  if ('continues' in main.dataset) location.replace(home.href);
  else home.focus();
}

function showProblem({ code, message }, button) {
  const isPasskey = button === passkey;
  const isPasskeyRejected = isPasskey && code === 'authentication_error';
  const known = isPasskeyRejected ? words.passkey_failed : lookUp(words.errors, code);
  showStatus(known ?? message, { isBad: true, isForeign: known === null });
  // The link leads to the dashboard, where a person without a session signs in.
  if (code === 'authentication_required') next.hidden = false;
  if (code === 'token_invalid') showInputs(false);
  else if (isPasskey) passkey.focus();
  else {
    field?.setAttribute('aria-invalid', 'true');
    field?.focus();
  }
}

async function submit(button, send) {
  if (state.isBusy) return;
  state.isBusy = true;
  // Not `disabled`, which would take the focus away from keyboard users.
  button.setAttribute('aria-disabled', 'true');
  field?.removeAttribute('aria-invalid');
  showStatus(words.wait);
  try {
    const problem = await send();
    if (problem) showProblem(problem, button);
    else finish();
  } catch {
    showStatus(words.unanswered, { isBad: true });
  }
  state.isBusy = false;
  button.removeAttribute('aria-disabled');
}

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit(form.querySelector('button'), sendField);
});

passkey?.addEventListener('click', () => {
  void submit(passkey, sendPasskey);
});

show?.addEventListener('change', () => {
  field.type = show.checked ? 'text' : 'password';
});

// Another e-mailed link may be opened in the same tab.
addEventListener('hashchange', () => {
  if (location.hash !== '') readLink();
});
readLink();
