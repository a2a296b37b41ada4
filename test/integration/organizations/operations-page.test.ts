import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { oneAddress, signUp } from '../../support/people/people.ts';
import { createJoins, createOrganization } from '../../support/people/organizations.ts';
import { useWorld } from '../../support/worlds/world.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

// The ids and the address in the examples on the page.
const ORGANIZATION = '019ab3f0-6c1e-7a42-9d35-5b0f8f6f2c11';
const ACCOUNT = '019ab3ef-20d4-7f0b-8c61-93c4f1f0a7de';
const ADDRESS = 'ada@example.com';

/** The commands on the page, each with its documented output. */
const commands = [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)]
  .flatMap(([, session]) => session!.split(/^\$ npx toolgate /m).slice(1))
  .map((part) => {
    const end = part.indexOf('\n');
    return { words: part.slice(0, end), output: part.slice(end + 1) };
  });

test('the commands on the operations page, run in order, print the output shown there', async () => {
  const world = await useWorld(oneAddress);
  const gateway = await world.gateway();
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada, 'Example');
  const joins = await createJoins(gateway);
  onTestFinished(joins.close);
  await joins.add(id, bob);
  const actual = (text: string) =>
    text
      .replaceAll(ORGANIZATION, id)
      .replaceAll(ACCOUNT, ada.account_id)
      .replaceAll(ADDRESS, ada.email);
  const run = (words: string) =>
    new Promise<string>((resolve) => {
      const env = { PATH: process.env['PATH'], ...world.env };
      execFile(process.execPath, [CLI, ...words.split(' ')], { env }, (_, stdout, stderr) =>
        resolve(`${stdout}${stderr}`),
      );
    });

  expect(commands.length).toBeGreaterThan(8);
  for (const { words, output } of commands)
    expect([words, await run(actual(words))]).toEqual([words, actual(output)]);
}, 300_000);
