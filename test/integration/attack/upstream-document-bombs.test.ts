import { expect, test } from 'vitest';
import { fillPlaceholders } from '../../../src/content/upstream-documents/placeholders.ts';
import { signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);

interface Imported {
  upstreams: object[];
  skipped: { name: string; code: string; message: string }[];
}

async function importDocument(document: object) {
  const { status, body } = await ada.person.ask<Imported>({
    path: '/api/me/upstreams/import',
    headers: ada.bearer,
    body: { document },
  });
  expect(status).toBe(200);
  return body;
}

const placeholders = '{a}'.repeat(2_700);
test.each<[string, string, Record<string, string>]>([
  ['many placeholders of a long value', placeholders, { a: 'x'.repeat(4_096) }],
  ['one placeholder of a very long value', 'y{a}', { a: 'x'.repeat(1_000_000) }],
])('a template with %s stays short, and too long for an upstream', (_what, template, values) => {
  const { text, missing } = fillPlaceholders(template, values);

  expect(missing).toEqual([]);
  expect(text.length).toBeGreaterThan(4_096);
  expect(text.length).toBeLessThan(30_000);
});

test('a server with more headers than anyone sends is skipped, whatever they are', async () => {
  const headers = Array.from({ length: 101 }, (_, index) => ({ name: `h${index}` }));
  const remotes = [{ type: 'streamable-http', url: 'https://example.com/mcp', headers }];

  const { upstreams, skipped } = await importDocument({ name: 'example/many', remotes });

  expect([upstreams, skipped.map(({ code }) => code)]).toEqual([[], ['invalid_document']]);
});

test('what a response repeats of a document has no half surrogate pairs', async () => {
  const name = `${'n'.repeat(199)}😀`;
  const { skipped } = await importDocument({
    servers: { [name]: { type: `${'t'.repeat(500)}😀` }, [`a${'😀'.repeat(300)}`]: {} },
  });

  expect(skipped).toHaveLength(2);
  for (const { name: shown, message } of skipped)
    expect([shown.isWellFormed(), message.isWellFormed()]).toEqual([true, true]);
});
