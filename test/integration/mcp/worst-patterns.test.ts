import { expect, test } from 'vitest';
import { createItem } from '../../support/worlds/items.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask, createKeyHolder } from './key-holder.ts';

const { world, gateway } = await useGateway();

const RESOURCES = 12;
/**
 * 256 patterns of 512 bytes that are expensive to match; only the second to last matches any path.
 */
const patterns = Array.from({ length: 256 }, (_, index) => {
  const head = index.toString(2).padStart(8, '0').replaceAll('0', '?').replaceAll('1', 'a');
  return `*${head}${'?a'.repeat(256)}`.slice(0, 511) + (index === 254 ? 'b' : 'x');
});
const pathOf = (index: number) =>
  `${'a'.repeat(980)}${index % 4 === 0 ? 'a' : 'c'}${'a'.repeat(index)}b`;

test('the longest policy on the longest paths is evaluated correctly and does not block other accounts', async () => {
  const [ada, ben] = [await createKeyHolder(world, gateway), await createKeyHolder(world, gateway)];
  for (let index = 0; index < RESOURCES; index += 1)
    await createItem(ada, 'resources', { path: pathOf(index), text: String(index) });
  const resource_policy = { mode: 'whitelist', patterns };
  const { secret } = await ada.createKey({ mcp_capabilities: ['resources'], resource_policy });
  await ben.select(['calculator']);
  const { secret: other } = await ben.createKey();
  const list = async () => {
    const { body } = await ask(ada.endpoint, { 'x-api-key': secret }, 'resources/list');
    const { resources } = body.result as unknown as { resources: { name: string; uri: string }[] };
    return resources;
  };
  const call = { name: 'calculator', arguments: { expression: '6 * 7' } };

  const order: string[] = [];
  const listing = Promise.all([list(), list()]).finally(() => void order.push('listed'));
  const calling = Promise.all(
    Array.from({ length: 5 }, async () => {
      const { body } = await ask(ben.endpoint, { 'x-api-key': other }, 'tools/call', call);
      order.push(body.result.isError === true ? 'failed' : 'called');
    }),
  );
  const [first, second] = await listing;
  await calling;

  expect(order).toEqual([...Array<string>(5).fill('called'), 'listed']);
  expect(second).toEqual(first);
  const names = new Set(first.map(({ name }) => name));
  const all = Array.from({ length: RESOURCES }, (_, index) => pathOf(index));
  expect(names).toEqual(new Set(all.filter((path) => isAdmitted(path))));
  expect(names.size).toBeGreaterThan(RESOURCES / 4);
  expect(names.size).toBeLessThan(RESOURCES);
  for (const path of all.slice(0, 4)) {
    const params = { uri: `toolgate://me/${path}`, name: `toolgate://me/${path}` };
    const { body } = await ask(ada.endpoint, { 'x-api-key': secret }, 'resources/read', params);
    expect(body.error === undefined).toBe(names.has(path));
  }
});

/** Returns whether the one pattern that ends in `b` matches; its only star comes first. */
function isAdmitted(path: string): boolean {
  const rest = patterns[254]!.slice(1);
  const end = path.slice(-rest.length);
  return Array.from(rest).every((one, at) => one === '?' || one === end[at]);
}
