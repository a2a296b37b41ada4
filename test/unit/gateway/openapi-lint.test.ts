import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeApi } from '../../../src/gateway/openapi/document.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

const redocly = join(
  dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);
const config = fileURLToPath(new URL('../../support/openapi/redocly.yaml', import.meta.url));

const document = describeApi(await declaredRoutes(), {
  baseUrl: 'https://toolgate.example',
  sessionCookie: 'session',
});
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-lint-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the rules of Redocly's linter that a document breaks; warnings count. */
async function brokenRules(checked: object): Promise<string[]> {
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(checked));
  const args = [redocly, 'lint', file, '--config', config, '--format', 'json'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  // It exits with 1 if there are errors.
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { env }, (_error, output) => resolve(output));
  });
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string }[] };
  return problems.map(({ ruleId }) => ruleId);
}

test('the document passes the recommended rules of Redocly without a warning', async () => {
  expect(await brokenRules(document)).toEqual([]);
});

test('the linter finds an operation without an error response', async () => {
  const { paths, ...rest } = structuredClone(document);
  const { responses } = paths['/health']!['get'] as { responses: Record<string, unknown> };
  delete responses['4XX'];

  expect(await brokenRules({ ...rest, paths })).toEqual(['operation-4xx-response']);
});

test('every operation has a successful response or a redirect', () => {
  const statuses = Object.values(document.paths).flatMap(
    ({ parameters: _parameters, ...methods }) =>
      Object.values(methods as Record<string, { responses: object }>).map(({ responses }) =>
        Object.keys(responses),
      ),
  );
  for (const some of statuses)
    expect(some.some((status) => /^2\d\d$|^30[23]$/.test(status))).toBe(true);
});
