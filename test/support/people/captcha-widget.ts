import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import type { CaptchaProvider } from './captcha-provider.ts';

const HOSTS =
  /^https:\/\/(?:challenges\.cloudflare\.com|js\.hcaptcha\.com|www\.google\.com\/recaptcha)\//;

/** Answers what a tab requests from the real providers with the stand-in. */
export async function useWidget(
  context: BrowserContext,
  provider: CaptchaProvider,
): Promise<{ isBlocked: boolean }> {
  const network = { isBlocked: false };
  await context.route(HOSTS, async (route) => {
    if (network.isBlocked) return route.abort();
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    const answer = await fetch(new URL(`${pathname}${search}`, provider.url), {
      method: request.method(),
    });
    return route.fulfill({
      status: answer.status,
      contentType: answer.headers.get('content-type') ?? 'text/plain',
      body: await answer.text(),
    });
  });
  return network;
}

/** Returns the widget that a page shows. */
export const widgetIn = (page: Page): FrameLocator =>
  page.frameLocator('iframe[title="Stand-in CAPTCHA"]');

/**
 * The script of a widget, with the functions that the scripts of Turnstile, hCaptcha and reCAPTCHA
 * have in common. It shows a frame of the provider, which sends it a token.
 */
export const WIDGET_SCRIPT = `(() => {
  const url = new URL(document.currentScript.src);
  const names = { 'challenges.cloudflare.com': 'turnstile', 'js.hcaptcha.com': 'hcaptcha' };
  const name = names[url.hostname] ?? 'grecaptcha';
  const shown = new Map();
  addEventListener('message', ({ data, source }) => {
    for (const { frame, options } of shown.values())
      if (frame.contentWindow === source)
        if (data.token) options.callback(data.token);
        else options[data.event]('110000');
  });
  window[name] = {
    render(container, options) {
      const { sitekey, theme, hl } = options;
      const frame = document.createElement('iframe');
      frame.title = 'Stand-in CAPTCHA';
      frame.src = new URL('frame?' + new URLSearchParams({ sitekey, theme, hl }), url);
      container.append(frame);
      shown.set(shown.size + 1, { frame, options });
      return shown.size;
    },
    ...(name === 'grecaptcha' ? {} : { remove: (id) => shown.get(id).frame.remove() }),
  };
  window[url.searchParams.get('onload')]();
})();`;

/** The page in the widget's frame; it shows what the script passed on. */
export const WIDGET_FRAME = `<!doctype html>
<html lang="en">
<title>Stand-in CAPTCHA</title>
<main>
<h2>Stand-in</h2>
<button id="solve">I am human</button>
<button data-event="expired-callback">Expire</button>
<button data-event="error-callback">Fail</button>
<p id="shown"></p>
</main>
<script>
  const { searchParams } = new URL(location.href);
  document.getElementById('shown').textContent = [...searchParams.values()].join(', ');
  document.getElementById('solve').onclick = async () => {
    const token = await (await fetch('solve', { method: 'POST' })).text();
    parent.postMessage({ token }, '*');
    document.getElementById('shown').textContent = 'Solved';
  };
  for (const button of document.querySelectorAll('[data-event]'))
    button.onclick = () => parent.postMessage({ event: button.dataset.event }, '*');
</script>
</html>`;
