import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { listTools } from '../../../src/cli/api.ts';
import { teamQuickstart } from '../../../src/cli/team-quickstart.ts';
import { startSmtpSink } from '../../../stack/smtp.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { inspect } from '../../support/clients/inspector.ts';
import { newEmail } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { ask, toolId } from '../mcp/key-holder.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const page = readFileSync(new URL('../../../docs/quickstart-team.md', import.meta.url), 'utf8');

/** Returns the page's code blocks in this language. */
const blocksOf = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text]) => text!,
  );
const PAGE_URL = 'http://localhost:7070';

/** Starts a gateway that stores its e-mails, as a local start does. */
async function useLocalGateway() {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'toolgate-quickstart-team-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const sink = await startSmtpSink(join(DATA_DIR, 'mail'));
  onTestFinished(sink.stop);
  const world = await useWorld();
  const env = { ...world.env, DATA_DIR, DEV_MAIL: 'on', SMTP_URL: sink.url };
  return { url: (await world.gateway({ env })).url, env };
}

/** Runs a `toolgate` command from the page and returns everything that it printed. */
function run(command: string, { url, env }: Awaited<ReturnType<typeof useLocalGateway>>) {
  const [npx, toolgate, ...words] = command.match(/"[^"]+"|\S+/g)!;
  expect([npx, toolgate]).toEqual(['npx', 'toolgate']);
  const args = words.map((word) => word.replaceAll('"', ''));
  if (args[0] === 'quickstart') args.push('--url', url);
  return new Promise<string>((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env }, (_, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
  });
}

/** Replaces everything in the output that differs from run to run. */
const normalize = (output: string, url: string): string =>
  output
    .replaceAll(url, PAGE_URL)
    .replaceAll(/(me|ben)\.\d+@/g, '$1.…@')
    .replaceAll(/password \S+/g, 'password …')
    .replaceAll(/sk_[0-9a-f-]{36}/g, 'sk_…')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    .trimEnd();

test('the quick start for a team prints what its page shows, and the commands on the page work', async () => {
  const gateway = await useLocalGateway();
  const { url } = gateway;
  const [quickstart = '', call = ''] = blocksOf('sh');
  const [printed = ''] = blocksOf('text').map((text) => text.trimEnd());

  const stdout = await run(quickstart, gateway);

  expect(normalize(stdout, url)).toBe(printed);
  const keys = stdout.match(/sk_[0-9a-f-]{36}/g)!;
  const words = call.slice(call.indexOf('--method')).trim().split(' ');
  const called = keys.map((key) =>
    inspect('modern', `${url}/mcp`, '--header', `X-API-Key: ${key}`, ...words),
  );
  const results = await Promise.all(called);
  expect(results.map(({ output }) => /"result":\s*42\b/.test(output))).toEqual([true, true, false]);
  expect(results[2]!.errors).toContain('calculator');
  const { body } = await ask(`${url}/mcp`, { 'x-api-key': keys[2]! }, 'tools/call', {
    ...{ name: 'calculator', arguments: { expression: '6*7' } },
  });
  expect(body.result.structuredContent.error?.code).toBe('tool_not_permitted');
}, 120_000);

test('every request on the page of the quick start exists', async () => {
  const routes = new Set((await declaredRoutes()).map(({ method, path }) => `${method} ${path}`));
  const requests = [...page.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/api\S*)`/g)];

  expect(requests.length).toBeGreaterThan(10);
  expect(requests.map(([, request]) => request!).filter((route) => !routes.has(route))).toEqual([]);
});

test('the changes that the page suggests have the effects it describes', async () => {
  const { url } = await useLocalGateway();
  const { ada, ben, keys } = await teamQuickstart({
    ...{ url, email: newEmail(), colleague: newEmail(), password: null },
    askForLink: () => Promise.reject(new Error('must not be called')),
    progress: () => {},
  });
  interface Named {
    id: string;
    name: string;
    account_id: string;
  }
  const list = async (path: string) => (await ada.api<{ data: Named[] }>('GET', path)).data;
  const organization = `/api/organizations/${(await list('/api/organizations'))[0]!.id}`;
  const { id: team_id } = (await list(`${organization}/teams`))[0]!;
  const { id: key_id } = (await list(`${organization}/keys`))[0]!;
  const profile = await ben.api<{ id: string }>('GET', '/api/user/profile');
  const team = `${organization}/teams/${team_id}`;
  const listVisibleTools = async () => {
    const all = keys.map(async ({ secret }) => (await listTools(url, secret)).slice(3));
    return Promise.all(all);
  };

  await ada.api('PATCH', `${organization}/keys/${key_id}`, { team_ids: [team_id] });
  const bound = await listVisibleTools();
  expect(bound[2]).toEqual(bound[0]);
  expect(bound[0]).toContain('engineering__latest_release');

  const tools = [toolId('calculator'), toolId('current_time')];
  await ada.api('PUT', `${team}/policies/tool`, { mode: 'blacklist', tools });
  const admitted = await listVisibleTools();
  expect(admitted).toEqual(bound.map((names) => names.filter((name) => name !== 'calculator')));

  await ada.api('DELETE', `${team}/members/${profile.id}`);
  const after = await listVisibleTools();
  expect(after[1]).toEqual(['current_time', 'me__repository_stars']);
  expect([after[0], after[2]]).toEqual([admitted[0], admitted[2]]);

  await ada.api('DELETE', `${organization}/members/${profile.id}`);
  const headers = { 'x-api-key': keys[1]!.secret };
  expect((await ask(`${url}/mcp`, headers, 'tools/list')).status).toBe(404);
}, 120_000);

test('the quick start for a team on a gateway with real mail prompts for each link', async () => {
  const world = await useWorld();
  const { url } = await world.gateway();
  const [email, colleague] = [newEmail(), newEmail()];
  const prompts: string[] = [];

  const { keys } = await teamQuickstart({
    ...{ url, email, colleague, password: 'lantern orbit velvet 42', progress: () => {} },
    async askForLink({ to, name }) {
      prompts.push(`${name} to ${to}`);
      const { text } = await world.mailbox.next(to);
      return /https?:\S+#token=\S+/.exec(text)![0];
    },
  });

  expect(prompts).toEqual([
    `verification e-mail to ${email}`,
    `invitation to ${colleague}`,
    `verification e-mail to ${colleague}`,
  ]);
  expect(keys.map(({ tools }) => tools.length)).toEqual([8, 9, 4]);
}, 120_000);
