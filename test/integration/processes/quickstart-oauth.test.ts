import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { oauthQuickstart } from '../../../src/cli/oauth-quickstart.ts';
import type { Consent, OAuthQuickstartOptions } from '../../../src/cli/oauth-quickstart.ts';
import { OperatorError } from '../../../src/platform/errors/operator-error.ts';
import { startSmtpSink } from '../../../stack/smtp.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { createOAuthPeer } from '../../support/people/oauth.ts';
import { createPerson, newEmail } from '../../support/people/people.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { useWorld } from '../../support/worlds/world.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const page = readFileSync(new URL('../../../docs/quickstart-oauth.md', import.meta.url), 'utf8');
const PAGE_URL = 'http://localhost:7070';

/** Starts a gateway that stores its e-mails, as a local start does. */
async function useLocalGateway() {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'toolgate-quickstart-oauth-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const sink = await startSmtpSink(join(DATA_DIR, 'mail'));
  onTestFinished(sink.stop);
  const world = await useWorld();
  const env = { ...world.env, DATA_DIR, DEV_MAIL: 'on', SMTP_URL: sink.url };
  const gateway = await world.gateway({ env });
  return { gateway, url: gateway.config.PUBLIC_URL, env };
}

/** Signs in with what the command shows, and decides; returns where the browser goes. */
async function decide(gateway: Gateway, { address, email, password }: Consent, decision: object) {
  const peer = createOAuthPeer(gateway);
  const { cookies } = await createPerson(gateway.url).ask({
    ...{ path: '/api/auth/login', body: { email, password } },
  });
  const { pathname, search } = new URL(address);
  const started = await peer.browse(`${pathname}${search}`);
  const uid = started.location.split('/').at(-1)!;
  const { body } = await peer.decide({ ...started, uid }, { cookies }, decision);
  const { location } = await peer.finish(started, body.to);
  return location;
}

/** Reads what the command prints until it asks for a decision. */
const consentIn = (printed: string): Consent | null => {
  const [, address, email, password] =
    /^(http\S+)\n\nE-mail +(\S+)\nPassword +(\S+)\n/m.exec(printed) ?? [];
  return address && email && password ? { address, email, password } : null;
};

/** Replaces everything in the output that differs from run to run. */
const normalize = (output: string, url: string): string =>
  output
    .replaceAll(url, PAGE_URL)
    .replaceAll(/me\.\d+@/g, 'me.…@')
    .replaceAll(/(Password +)\S+/g, '$1…')
    .replaceAll(/authorize\?\S+/g, 'authorize?…')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    .trimEnd();

test('the quick start for OAuth prints what its page shows, and its connection can be revoked', async () => {
  const { gateway, url, env } = await useLocalGateway();
  const [command = '', sample = ''] = [...page.matchAll(/^```(?:sh|text)\n([\s\S]*?)^```/gm)].map(
    ([, text]) => text!.trimEnd(),
  );
  const args = command.split(' ').slice(2);
  const child = spawn(process.execPath, [CLI, ...args, '--url', url], { env });
  let printed = '';
  let consent: Promise<void> | undefined;
  async function answer(shown: Consent): Promise<void> {
    const location = await decide(gateway, shown, { allow: true });
    const forged = new URL(location);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect((await fetch(forged)).status).toBe(404);
    expect((await fetch(location)).status).toBe(200);
  }
  child.stdout.on('data', (chunk: Buffer) => {
    printed += String(chunk);
    const shown = consentIn(printed);
    if (shown !== null) consent ??= answer(shown);
  });
  child.stderr.on('data', (chunk: Buffer) => void (printed += String(chunk)));
  await once(child, 'close');
  await consent;

  expect(normalize(printed, url)).toBe(sample);
  const { email, password } = consentIn(printed)!;
  const person = createPerson(gateway.url);
  const { body: session } = await person.ask<{ access_token: string }>({
    ...{ path: '/api/auth/login', body: { email, password } },
  });
  const headers = { authorization: `Bearer ${session.access_token}` };
  const { pathname: path } = new URL(/DELETE (\S+)/.exec(printed)![1]!);
  expect((await person.ask({ method: 'DELETE', path, headers })).status).toBe(204);
  const left = await person.ask<{ data: [] }>({ path: '/api/me/connections', headers });
  expect(left.body.data).toEqual([]);
}, 120_000);

test('every request on the page of the quick start for OAuth exists', async () => {
  const routes = new Set((await declaredRoutes()).map(({ method, path }) => `${method} ${path}`));
  const requests = [...page.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/api\S*)`/g)];

  expect(requests.length).toBeGreaterThan(3);
  expect(requests.map(([, request]) => request!).filter((route) => !routes.has(route))).toEqual([]);
});

type Answering = Pick<OAuthQuickstartOptions, 'showConsent' | 'waitMs'>;

/** Runs the steps on a gateway; returns the line that tells why they failed. */
async function failureOf(
  url: string,
  answering: Answering,
  progress: (line: string) => void = () => {},
): Promise<string> {
  const options = { email: newEmail(), password: null, progress, ...answering };
  const askForLink = () => Promise.reject(new Error('must not be called'));
  const error = await oauthQuickstart({ url, askForLink, ...options }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(OperatorError);
  return error.message;
}

test('a person who denies, one who does not decide, and an answer of another server are each reported in one line', async () => {
  const { gateway, url } = await useLocalGateway();
  const deciding = (decision: object, change: (location: URL) => void = () => {}) => ({
    showConsent(consent: Consent) {
      void decide(gateway, consent, decision).then((location) => {
        const answer = new URL(location);
        change(answer);
        return fetch(answer);
      });
    },
  });

  expect(await failureOf(url, deciding({ allow: false }))).toBe(
    'You denied the client, so that it got no access. To decide again, run the command again.',
  );
  expect(
    await failureOf(
      url,
      deciding({ allow: true }, ({ searchParams }) =>
        searchParams.set('iss', 'https://other.example'),
      ),
    ),
  ).toBe('The answer was not the gateway’s, or could not be used. Run the command again.');
  const undecided = { showConsent: () => {}, waitMs: 10 };
  expect(await failureOf(url, undecided)).toBe(
    'Nobody allowed or denied the client in time. Run the command again.',
  );
  const other = url.replace('localhost', '127.0.0.1');
  const lines: string[] = [];
  expect(await failureOf(other, undecided, (line) => void lines.push(line))).toBe(
    `The gateway’s address is ${url}: pass it as --url.`,
  );
  expect(lines, 'nothing was done before').toEqual([]);
}, 120_000);
