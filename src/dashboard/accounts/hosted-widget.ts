import type { HostedProvider } from '../../accounts/captcha/schema.ts';

/** The API that the scripts of all providers share. */
export interface WidgetApi {
  render(container: HTMLElement, options: object): string | number;
  /** reCAPTCHA has none. */
  remove?(id: string | number): void;
}

/** The global variable and the script of each provider; `widget-hosts.ts` allows their hosts. */
const SCRIPTS: Readonly<Record<HostedProvider, readonly [name: string, url: string]>> = {
  turnstile: ['turnstile', 'https://challenges.cloudflare.com/turnstile/v0/api.js'],
  hcaptcha: ['hcaptcha', 'https://js.hcaptcha.com/1/api.js'],
  recaptcha: ['grecaptcha', 'https://www.google.com/recaptcha/api.js'],
};

const READY = 'captchaReady';
const LOAD_MS = 15_000;

/** Loads the provider's script once; rejects if it is blocked or takes too long. */
export function loadWidget(provider: HostedProvider, language: string): Promise<WidgetApi> {
  const [name, url] = SCRIPTS[provider];
  const api = () => Reflect.get(globalThis, name) as WidgetApi;
  if (typeof api()?.render === 'function') return Promise.resolve(api());
  const { promise, resolve, reject } = Promise.withResolvers<WidgetApi>();
  Reflect.set(globalThis, READY, () => resolve(api()));
  const script = document.createElement('script');
  const parameters = { render: 'explicit', onload: READY, hl: language };
  script.src = `${url}?${new URLSearchParams(parameters).toString()}`;
  const fail = () => {
    script.remove();
    reject(new Error('The script of the CAPTCHA provider could not be loaded.'));
  };
  script.addEventListener('error', fail);
  const timer = setTimeout(fail, LOAD_MS);
  document.head.append(script);
  return promise.finally(() => clearTimeout(timer));
}
