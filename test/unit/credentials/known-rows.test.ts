import { expect, test } from 'vitest';
import type { Credential } from '../../../src/credentials/credential.ts';
import { createKnownRows } from '../../../src/credentials/known-rows.ts';

function knownRows() {
  const parsed: string[] = [];
  const credentialIn = createKnownRows((key, row) => {
    parsed.push(`${key} ${row}`);
    return { row } as unknown as Credential;
  });
  return { parsed, credentialIn };
}

test('a row that is the same text as before is not parsed again', () => {
  const { parsed, credentialIn } = knownRows();

  const first = credentialIn('ada', '{"nonce":"a"}');
  const second = credentialIn('ada', '{"nonce":"a"}');

  expect(second).toBe(first);
  expect(parsed).toEqual(['ada {"nonce":"a"}']);
});

test('a row that changed is parsed, also if it changes back', () => {
  const { parsed, credentialIn } = knownRows();
  const rows = ['{"usable":true}', '{"usable":false}', '{"usable":true}'];

  const found = rows.map((row) => credentialIn('ada', row));

  expect(found).toEqual(rows.map((row) => ({ row })));
  expect(parsed).toHaveLength(3);
});

test('equal rows of different keys are different credentials: a token limits its connection', () => {
  const { credentialIn } = knownRows();

  expect(credentialIn('ada read', '{}')).not.toBe(credentialIn('ada write', '{}'));
});

test('a credential that requests share cannot be changed by one of them', () => {
  const credentialIn = createKnownRows(
    (_, row) => ({ principal: JSON.parse(row) as unknown }) as Credential,
  );
  const { principal } = credentialIn('ada', '{"scopes":[{"nonce":"a"}],"quota_owner":{"id":"x"}}');

  expect(() => Object.assign(principal.quota_owner, { id: 'y' })).toThrow(TypeError);
  expect(() => Object.assign(principal.scopes[0]!, { nonce: 'b' })).toThrow(TypeError);
  expect(() => (principal.scopes as unknown[]).push({})).toThrow(TypeError);
});

test('a row with very long policies is not remembered', () => {
  const { parsed, credentialIn } = knownRows();
  const row = JSON.stringify({ patterns: 'x'.repeat(100_000) });

  credentialIn('ada', row);
  credentialIn('ada', row);

  expect(parsed).toHaveLength(2);
});
