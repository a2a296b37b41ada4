import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WIDGET_FRAME, WIDGET_SCRIPT } from './captcha-widget.ts';

/** How a captcha provider behaves. */
export type ProviderState = 'well' | 'down' | 'slow' | 'garbage' | 'overloaded' | 'wrong_secret';

/**
 * A stand-in for Turnstile, hCaptcha and reCAPTCHA: their widget, and `siteverify`, where a token
 * passes once, with the secret.
 */
export interface CaptchaProvider {
  url: string;
  /** Settings of a gateway that uses it. */
  env(provider: string): Record<string, string>;
  fault: ProviderState;
  /** Every form it received, regardless of the response. */
  requests: Record<string, string>[];
  /** Fields of the response for tokens that the widget issues. */
  issuedFields: Record<string, unknown>;
  /** Issues a token as a widget would; `fields` is added to the response, such as the hostname. */
  token(fields?: Record<string, unknown>): string;
  close(): Promise<void>;
}

const SECRET = `secret of ${randomUUID()}`;

export async function startCaptchaProvider(): Promise<CaptchaProvider> {
  const issued = new Map<string, Record<string, unknown>>();
  const answers: Record<ProviderState, (form: Record<string, string>) => string | null> = {
    well: verify,
    wrong_secret: () => refused('invalid-input-secret'),
    garbage: () => '<html>502</html>',
    overloaded: verify,
    slow: () => null,
    down: () => null,
  };
  /** Returns what the widget in a browser loads, by the end of its path. */
  const widgetPart = (path: string): readonly [type: string, text: string] | null => {
    if (path.endsWith('/api.js')) return ['text/javascript', WIDGET_SCRIPT];
    if (path.endsWith('/frame')) return ['text/html', WIDGET_FRAME];
    return path.endsWith('/solve') ? ['text/plain', provider.token(provider.issuedFields)] : null;
  };
  const server = createServer((request, response) => {
    const part = widgetPart(new URL(request.url!, 'http://localhost').pathname);
    if (part !== null) {
      response.setHeader('content-type', part[0]).end(part[1]);
      return;
    }
    void readForm(request).then((form) => {
      if (provider.fault === 'down') request.socket.destroy();
      provider.requests.push(form);
      if (provider.fault === 'overloaded') response.statusCode = 503;
      const answer = answers[provider.fault](form);
      if (answer !== null) response.setHeader('content-type', 'application/json').end(answer);
    });
  });

  function verify({ secret, response = '' }: Record<string, string>): string {
    if (provider.fault !== 'well') return refused('internal-error');
    if (secret !== SECRET) return refused('invalid-input-secret');
    const fields = issued.get(response);
    if (fields === undefined) return refused('invalid-input-response');
    if (!issued.delete(response)) return refused('timeout-or-duplicate');
    return JSON.stringify({ success: true, challenge_ts: new Date().toISOString(), ...fields });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: CaptchaProvider = {
    url: `http://${host}`,
    fault: 'well',
    issuedFields: { hostname: 'localhost' },
    requests: [],
    env: (name) => ({
      CAPTCHA: name,
      CAPTCHA_SITE_KEY: `site of ${name}`,
      CAPTCHA_SECRET: SECRET,
      CAPTCHA_VERIFY_URL: `http://${host}/siteverify`,
      OUTBOUND_ALLOW: host,
    }),
    token(fields = { hostname: 'localhost' }) {
      const token = `0.${randomUUID()}`;
      issued.set(token, fields);
      return token;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
  return provider;
}

const refused = (code: string) => JSON.stringify({ success: false, 'error-codes': [code] });

async function readForm(request: IncomingMessage): Promise<Record<string, string>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return Object.fromEntries(new URLSearchParams(text));
}
