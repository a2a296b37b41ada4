import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRequest } from '../../../src/content/tools/http-request.ts';
import { createRedaction } from '../../../src/content/tools/redaction.ts';
import { HttpTemplate } from '../../../src/content/tools/schema.ts';
import { secretForms } from '../../../src/content/tools/secret-forms.ts';

const formsOf = (secret: string) => [...secretForms(secret)].filter(({ length }) => length >= 6);

/** Replaces each run of characters that belong to an occurrence of a form, by trying every place. */
function redactNaively(secrets: readonly string[], text: string): string {
  const hidden = new Set<number>();
  for (const form of secrets.flatMap(formsOf))
    for (let from = 0; from < text.length; from += 1)
      if (text.startsWith(form, from))
        for (let at = from; at < from + form.length; at += 1) hidden.add(at);
  return Array.from({ length: text.length }, (_, at) => {
    if (!hidden.has(at)) return text[at]!;
    return hidden.has(at - 1) ? '' : '[secret]';
  }).join('');
}

const secret = fc.string({ unit: fc.constantFrom('a', 'b', '"', 'é'), minLength: 6, maxLength: 9 });
const secrets = fc.array(secret, { minLength: 1, maxLength: 4 });
const secretsAndText = secrets.chain((chosen) =>
  fc.tuple(
    fc.constant(chosen),
    fc
      .array(
        fc.oneof(
          fc.constantFrom(...chosen.flatMap(formsOf)),
          fc.string({ unit: fc.constantFrom('a', 'b', '"', 'é', '%', '\\') }),
        ),
      )
      .map((parts) => parts.join('')),
  ),
);

test('exactly the characters of secrets are removed, in every form and however these overlap (B8-7)', async () => {
  await fc.assert(
    fc.asyncProperty(secretsAndText, async ([chosen, text]) => {
      expect(await createRedaction(chosen, 'owner').text(text)).toBe(redactNaively(chosen, text));
    }),
    { numRuns: 500 },
  );
});

test('a secret is removed from every place in a text that is searched in several turns', async () => {
  const token = 'tk-41c5b7';
  const distances = [0, 16_370, 16_376, 16_384, 65_530, 100_000];
  const text = distances.map((distance) => 'tk-41'.padEnd(distance, 'tk-41c5') + token).join('|');

  const redacted = await createRedaction([token, 'x'.repeat(8_192)], 'owner').text(text);

  expect(redacted).toBe(text.replaceAll(token, '[secret]'));
});

test('keys and values of JSON are redacted and well-formed, everything else is unchanged', async () => {
  const { json } = createRedaction(['tk-41c5b7', 'short'], 'owner');
  const clean = { a: [1, null, 'x', { short: false }] };

  expect(await json({ 'tk-41c5b7': ['tk-41c5b7!', '\ud83d'], ...clean })).toEqual({
    '[secret]': ['[secret]!', '\ufffd'],
    ...clean,
  });
  expect(await json(clean)).toEqual(clean);
});

const ASCII = String.raw`it's (one) "key\ & a+b/c=d;,*~!`;
const ANY = `${ASCII}\t\u{7f}schlüssel-鍵🔑`;
const json = { content_type: 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const multipart = { 'content-type': 'multipart/form-data' };
const body = { q: '{{secret.KEY}}' };

test.each<[place: string, key: string, http: object]>([
  ['the query', ANY, { query: body }],
  ['the query, as JSON', ANY, { query: body, encoding: { query: { q: json } } }],
  ['a header', ASCII, { headers: body }],
  ['a header, as JSON', ANY, { headers: body, encoding: { headers: { q: json } } }],
  ['a cookie', 'it\'s (one) "key\\ & a+b', { cookies: body }],
  ['a cookie, encoded', ANY, { cookies: body, encoding: { cookies: { q: { style: 'form' } } } }],
  ['a cookie, as JSON', ANY, { cookies: body, encoding: { cookies: { q: json } } }],
  ['a body of JSON', ANY, { body }],
  ['a body of text', ANY, { headers: { 'content-type': 'text/plain' }, body: body.q }],
  ['a form', ANY, { headers: form, body }],
  ['a form, as JSON', ANY, { headers: form, body, encoding: { body: { q: json } } }],
  ['a form, in an object', ANY, { headers: form, body: { q: body } }],
  ['a form, in a list', ANY, { headers: form, body: { q: ['a', body.q] } }],
  [
    'a form, in an object of its own style',
    ANY,
    { headers: form, body: { q: body }, encoding: { body: { q: { style: 'deepObject' } } } },
  ],
  ['a multipart body', ANY, { headers: multipart, body }],
  ['a multipart body, as JSON', ANY, { headers: multipart, body, encoding: { body: { q: json } } }],
  ['a multipart body, in an object', ANY, { headers: multipart, body: { q: body } }],
  [
    'a file of a multipart body',
    Buffer.from(ANY).toString('base64'),
    { headers: multipart, body: { q: { base64: '{{secret.KEY}}' } } },
  ],
])('a secret that a server echoes as it was sent in %s is removed (B8-7)', async (_, key, http) => {
  const template = HttpTemplate.parse({
    ...{ method: 'POST', url: 'https://api.example/v1', ...http },
  });
  const sentWith = (value: string) => {
    const {
      url,
      headers,
      cookie,
      body: sent,
    } = buildRequest(template, {
      arguments: {},
      secrets: new Map([['KEY', value]]),
    });
    const text = [url, Object.values(headers).join('\n'), cookie, sent && Buffer.from(sent)].join(
      '\n',
    );
    return text.replaceAll(/form-[0-9a-f-]{36}/g, 'form-boundary');
  };
  const marker = Buffer.from('marker').toString('base64');
  const expected = sentWith(marker).replaceAll(new RegExp(`${marker}|marker`, 'g'), '[secret]');

  const { text } = createRedaction([key], 'owner');

  expect(await text(sentWith(key))).toBe(expected);
  // As a server shows it in JSON that is read as text.
  expect(await text(JSON.stringify(sentWith(key)))).toBe(JSON.stringify(expected));
});
