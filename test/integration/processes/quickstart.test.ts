import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OperatorError } from '../../../src/platform/errors/operator-error.ts';
import { quickstart } from '../../../src/cli/quickstart.ts';
import { startSmtpSink } from '../../../stack/smtp.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { newEmail } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { calculate } from '../mcp/key-holder.ts';

const failIfCalled = () => Promise.reject(new Error('must not be called'));

test('the quick start on a local gateway reads its own e-mail, and its key calls a tool', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'toolgate-quickstart-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const sink = await startSmtpSink(join(DATA_DIR, 'mail'));
  onTestFinished(sink.stop);
  const world = await useWorld();
  const { url } = await world.gateway({ env: { DATA_DIR, DEV_MAIL: 'on', SMTP_URL: sink.url } });
  const email = newEmail();
  const lines: string[] = [];

  const result = await quickstart({
    url,
    email,
    password: null,
    askForLink: failIfCalled,
    progress: (line) => void lines.push(line),
  });

  expect(result).toMatchObject({ email, tools: expect.arrayContaining(['calculator']) });
  expect(await calculate(url, result.key)).toMatchObject({ result: 42 });
  expect(lines.length).toBeGreaterThan(4);
  expect(lines.join('\n'), 'progress contains no secret').not.toMatch(result.password);
});

test('the quick start on a gateway with real mail prompts for the link', async () => {
  const world = await useWorld();
  const { url } = await world.gateway();
  const email = newEmail();
  const options = { url, email, password: 'lantern orbit velvet 42', progress: () => {} };

  const result = await quickstart({
    ...options,
    async askForLink() {
      const { text } = await world.mailbox.next(email);
      return /https?:\S+#token=\S+/.exec(text)![0];
    },
  });

  expect(result.password).toBe(options.password);
  expect(await calculate(url, result.key)).toMatchObject({ result: 42 });
});

test('pasted text without a link, and a refused password, are reported in one line each', async () => {
  const world = await useWorld();
  const { url } = await world.gateway();
  const start = (password: string | null) =>
    quickstart({
      url,
      email: newEmail(),
      password,
      askForLink: async () => 'not a link',
      progress: () => {},
    });

  await expect(start(null)).rejects.toThrow(
    /^That is not the link of the verification e-mail\.[^\n]*$/,
  );
  await expect(start('short')).rejects.toThrow(/^POST \/api\/auth\/register: [^\n]+$/);
});

test('an unreachable gateway is reported in one line that says what to do', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const options = { url, email: newEmail(), password: null, askForLink: failIfCalled };

  const refused = await quickstart({ ...options, progress: () => {} }).catch((error) => error);

  expect(refused).toBeInstanceOf(OperatorError);
  expect(refused.message).toBe(
    `Nothing responds at ${url}. Start the gateway with npm start, or give its URL with --url.`,
  );
});
