import { expect, test } from 'vitest';
import { useAuthors } from '../content/author.ts';
import { createToolCaller } from './tool-caller.ts';
import { eras } from './both-eras.ts';

const { ada, bob } = await useAuthors();
await ada.select(['grep_resource']);

const resources = '/api/me/resources';
const uniqueFolder = () => `folder_${crypto.randomUUID().slice(0, 8)}`;
const createGrepCaller = async (fields: Record<string, unknown> = {}) => {
  const { secret } = await ada.createKey({ mcp_capabilities: ['tools', 'resources'], ...fields });
  return createToolCaller(ada, secret, eras[1][1]);
};
const addText = (path: string, text: string) => ada.rest(resources, { path, text });

test('finds matching lines in the text resources the key can read, and in no others', async () => {
  const folder = uniqueFolder();
  await addText(`${folder}/a.md`, 'one\nneedle two\r\nthree NEEDLE');
  await addText(`${folder}/deep/b.md`, 'a needle');
  await ada.rest(resources, { path: `${folder}/c.bin`, blob: btoa('needle') });
  await bob.rest(resources, { path: `${folder}/d.md`, text: 'needle' });
  const { run } = await createGrepCaller();
  const { run: narrow } = await createGrepCaller({
    resource_policy: { mode: 'blacklist', patterns: [`${folder}/deep/**`] },
  });
  const match = (path: string, line: number, text: string) => {
    const uri = `toolgate://me/${folder}/${path}`;
    return { path: `${folder}/${path}`, uri, line, text };
  };
  const first = match('a.md', 2, 'needle two');
  const deep = match('deep/b.md', 1, 'a needle');
  const input = { pattern: 'needle', paths: `${folder}/**` };

  expect(await run('grep_resource', input)).toEqual({
    matches: [first, deep],
    truncated: false,
  });
  expect(await run('grep_resource', { ...input, paths: `${folder}/*` })).toMatchObject({
    matches: [first],
  });
  expect(await run('grep_resource', { ...input, ignore_case: true })).toMatchObject({
    matches: [first, match('a.md', 3, 'three NEEDLE'), deep],
  });
  expect(await run('grep_resource', { ...input, max_matches: 1 })).toEqual({
    matches: [first],
    truncated: true,
  });
  expect(await narrow('grep_resource', input)).toMatchObject({ matches: [first] });
  const { secret } = await ada.createKey();
  const withoutResources = await createToolCaller(ada, secret, eras[1][1]);
  expect(await withoutResources.run('grep_resource', input)).toEqual({
    matches: [],
    truncated: false,
  });
});

test('a glob matches its paths in any Unicode normalization form', async () => {
  const folder = uniqueFolder();
  await addText(`${folder}/caf\u00e9.md`, 'needle');
  const { run } = await createGrepCaller();

  const found = await run('grep_resource', { pattern: 'needle', paths: `${folder}/cafe\u0301.*` });

  expect(found).toMatchObject({ matches: [{ path: `${folder}/caf\u00e9.md` }] });
});

test('expensive patterns terminate and leave the gateway responsive (B3-17)', async () => {
  const folder = uniqueFolder();
  await addText(`${folder}/long.txt`, 'a'.repeat(1_000_000));
  await addText(`${folder}/lines.txt`, 'ab\n'.repeat(300_000));
  const { run, call } = await createGrepCaller();
  const inFolder = { paths: `${folder}/**` };

  expect(await run('grep_resource', { ...inFolder, pattern: '(a+)+$b' })).toBeDefined();
  expect(await run('grep_resource', { ...inFolder, pattern: '((a{100}){100}){100}' })).toSatisfy(
    (result) => result === 'invalid_pattern' || result === 'too_complex',
  );
  expect(await run('grep_resource', { ...inFolder, pattern: '(?=a)' })).toBe('invalid_pattern');
  const many = await call('grep_resource', { ...inFolder, pattern: 'a', max_matches: 1_000 });
  expect(JSON.stringify(many).length).toBeLessThan(1_000_000);
  expect(many.result.structuredContent).toMatchObject({ truncated: true });
  expect(await run('grep_resource', { ...inFolder, pattern: 'a', paths: '../[x]' })).toBe(-32602);
});
