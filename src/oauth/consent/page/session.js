// Renews a session whose access token has expired, so that its person need not sign in again. The
// page works without this script.
const TRIED = 'consent-session-tried';
try {
  if (sessionStorage.getItem(TRIED) !== location.pathname) {
    sessionStorage.setItem(TRIED, location.pathname);
    const { ok } = await fetch('/api/auth/refresh', { method: 'POST' });
    if (ok) location.reload();
  }
} catch {
  // The form to sign in stays.
}
