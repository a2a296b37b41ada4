import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask, createKeyHolder } from '../mcp/key-holder.ts';
import { startChildGateway } from './child-gateway.ts';
import type { ChildGateway } from './child-gateway.ts';

let child: ChildGateway;
const { world, gateway } = await useGateway();
afterAll(async () => {
  await child?.stop();
});

const killers: [string, string, Record<string, string>][] = [
  ['pads a string', 'json_query', { json: '"x"', query: "pad_left(@, `400000000`, 'x')" }],
  ['inserts a billion times', 'json_query', { json: '"x"', query: "replace(@, '', 'y', `1e9`)" }],
  [
    'joins a long string with itself',
    'json_query',
    {
      json: `["${'x'.repeat(150_000)}",${Array(2_300).fill('""').join(',')}]`,
      query: 'join(@[0], @)',
    },
  ],
  [
    'refers many times to one long link',
    'markdown_to_html',
    { markdown: `[a]: /${'x'.repeat(100_000)}\n\n${'[a] '.repeat(3_000)}` },
  ],
];

describe('the process survives a call', () => {
  test.each(killers)(
    "that %s beyond its memory limit, and another account's next call works (rel:S14, rel:1.1)",
    async (_what, name, args) => {
      if (child === undefined || child.exit() !== null) child = await startChildGateway(world);
      const ada = await createKeyHolder(world, gateway);
      const dan = await createKeyHolder(world, gateway);
      await ada.select([name]);
      await dan.select(['uuid']);
      const endpoint = `${child.url}/mcp`;
      const [attack, bystander] = [await ada.createKey(), await dan.createKey()];

      const hit = await ask(endpoint, { 'x-api-key': attack.secret }, 'tools/call', {
        name,
        arguments: args,
      }).catch(String);
      await wait(500);

      expect(child.exit()).toBeNull();
      expect(hit).toMatchObject({ body: { result: { isError: true } } });
      const after = await ask(endpoint, { 'x-api-key': bystander.secret }, 'tools/call', {
        name: 'uuid',
        arguments: {},
      });
      expect(after.body.result.isError ?? false).toBe(false);
    },
    60_000,
  );
});

test('expensive calls of one account do not block those of another (rel:1.1, threat 15)', async () => {
  const [ada, dan] = [await createKeyHolder(world, gateway), await createKeyHolder(world, gateway)];
  await ada.select(['json_validate']);
  await dan.select(['yaml_to_json']);
  const [attack, bystander] = [await ada.createKey(), await dan.createKey()];
  const bomb = { json: `"${'a'.repeat(50)}!"`, schema: '{"type":"string","pattern":"^(a+)+$"}' };
  const bombs = Array.from({ length: 20 }, () =>
    ask(ada.endpoint, { 'x-api-key': attack.secret }, 'tools/call', {
      name: 'json_validate',
      arguments: bomb,
    }),
  );
  await wait(300);

  const { body } = await ask(dan.endpoint, { 'x-api-key': bystander.secret }, 'tools/call', {
    name: 'yaml_to_json',
    arguments: { yaml: 'a: 1' },
  });
  await Promise.all(bombs);

  expect(body.result.structuredContent).toEqual({ documents: [{ a: 1 }] });
});
