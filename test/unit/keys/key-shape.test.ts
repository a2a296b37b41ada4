import { describe, expect, test } from 'vitest';
import { PERMISSION_COUNT } from '../../../src/authz/permissions.ts';
import { KeyDraft, KeyEdit, KeyName } from '../../../src/keys/schema.ts';

const org = '0190aaaa-0000-7000-8000-000000000001';
const draft = { name: 'ci', mcp_capabilities: [] };
const isValidDraft = (fields: object) => KeyDraft.safeParse({ ...draft, ...fields }).success;

test.each([
  undefined,
  null,
  5,
  '',
  ' ',
  '\u00a0\u3000',
  '\u3164',
  '\u2800',
  'a\u0000b',
  'a\tb',
  'a\nb',
  'a\n',
  'a\u200bb',
  'a\u202eb',
  'a\u2066b',
  'a\ufeffb',
  'a\ud800b',
  'x'.repeat(101),
])('the name %j is malformed (rel:K1, rel:B2-9)', (name) => {
  expect(isValidDraft({ name })).toBe(false);
});

test.each(['a', 'Grüße – 日本', 'x'.repeat(100), '😀'.repeat(100), 'a  b', "o'clock; --"])(
  'the name %j is valid and reads back unchanged (rel:K1, rel:P17)',
  (name) => {
    expect(KeyName.parse(name)).toBe(name);
  },
);

test('a name is stored in NFC (rel:K2)', () => {
  expect(KeyName.parse('Cafe\u0301')).toBe('Caf\u00e9');
});

test.each([' ci', 'ci ', '\u00a0ci\u3000'])(
  'whitespace around %j is removed (rel:K1, rel:K2)',
  (name) => {
    expect(KeyName.parse(name)).toBe('ci');
  },
);

test('the limit of a hundred characters counts NFC characters, not bytes', () => {
  expect(isValidDraft({ name: 'e\u0301'.repeat(100) })).toBe(true);
});

test.each([
  undefined,
  null,
  'tools',
  {},
  ['TOOLS'],
  ['mcp_tools'],
  ['tools', 'tools'],
  [null],
  Array.from({ length: 5 }, () => 'tools'),
])('mcp_capabilities %j is malformed (rel:K3)', (mcp_capabilities) => {
  expect(isValidDraft({ mcp_capabilities })).toBe(false);
});

test('zero to four capabilities may be declared (rel:K3)', () => {
  expect(isValidDraft({ mcp_capabilities: [] })).toBe(true);
  expect(isValidDraft({ mcp_capabilities: ['agents', 'tools', 'prompts', 'resources'] })).toBe(
    true,
  );
});

describe('grants', () => {
  const personal = { scope: { type: 'personal' }, permissions: ['can_view_tools'] };

  test.each([
    [null],
    [{}],
    ['x'],
    [[null]],
    [[{}]],
    [[{ scope: null }]],
    [[{ scope: { type: 'team', org_id: org } }]],
    [[{ scope: { type: 'org' } }]],
    [[{ scope: { type: 'org', org_id: null } }]],
    [[{ scope: { type: 'org', org_id: 'acme' } }]],
    [[{ scope: { type: 'personal', org_id: org } }]],
    [[{ ...personal, permissions: null }]],
    [[{ ...personal, permissions: 'can_view_tools' }]],
    [[{ ...personal, permissions: [1] }]],
    [Array.from({ length: 52 }, () => personal)],
    [
      [
        {
          ...personal,
          permissions: Array.from({ length: PERMISSION_COUNT + 1 }, () => 'can_view_tools'),
        },
      ],
    ],
    [[{ ...personal, permissions: ['x'.repeat(65)] }]],
  ])('%j is malformed (rel:K4)', (grants) => {
    expect(isValidDraft({ grants })).toBe(false);
  });

  test.each([
    [[]],
    [[personal]],
    [[{ scope: { type: 'personal' } }]],
    [[personal, { scope: { type: 'org', org_id: org }, permissions: [] }]],
    [[{ ...personal, note: 'ignored' }]],
  ])('%j is well-formed (rel:K4)', (grants) => {
    expect(isValidDraft({ grants })).toBe(true);
  });

  test('the maximum is well-formed: 51 contexts, each with every permission', () => {
    const permissions = Array.from({ length: PERMISSION_COUNT }, () => 'x'.repeat(64));

    expect(
      isValidDraft({ grants: Array.from({ length: 51 }, () => ({ ...personal, permissions })) }),
    ).toBe(true);
  });

  test.each([
    ['grants', Array.from({ length: 5_000 }, () => null)],
    ['grants/0/permissions', [{ ...personal, permissions: Array(5_000).fill(null) }]],
  ])('too many %s are reported as one problem', (_list, grants) => {
    expect(KeyDraft.safeParse({ ...draft, grants }).error?.issues).toHaveLength(1);
  });

  test('default to none (K)', () => {
    expect(KeyDraft.parse(draft).grants).toEqual([]);
  });
});

test.each(['tomorrow', '2030-01-01', '2030-02-30T00:00:00Z', '2030-01-01T00:00:00', 5, '', {}])(
  'expires_at %j is malformed',
  (expires_at) => {
    expect(isValidDraft({ expires_at })).toBe(false);
  },
);

test('expires_at must not be later than the end of the year 9999 in UTC', () => {
  expect(isValidDraft({ expires_at: '9999-12-31T23:59:59Z' })).toBe(true);
  expect(isValidDraft({ expires_at: '9999-12-31T23:59:59-23:59' })).toBe(false);
});

test.each(['org_scope', 'default_agent_id'])('%s is an id, null or omitted', (field) => {
  expect(isValidDraft({ [field]: 'acme' })).toBe(false);
  expect(isValidDraft({ [field]: null })).toBe(true);
  expect(isValidDraft({ [field]: org })).toBe(true);
});

test('fields a client may not set are ignored (rel:B2-30)', () => {
  const sent = { ...draft, id: org, secret: 'sk_x', created_at: 'x', owner_id: org, status: 'x' };

  expect(KeyDraft.parse(sent)).toEqual(KeyDraft.parse(draft));
  expect(KeyEdit.parse({ id: org, last_used_at: null, org_scope: org })).toEqual({});
});
