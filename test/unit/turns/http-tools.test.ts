import { expect, test } from 'vitest';
import { httpProblems } from '../../../src/content/tools/http-problems.ts';
import { buildRequest } from '../../../src/content/tools/http-request.ts';
import { HttpTemplate, ToolDraft } from '../../../src/content/tools/schema.ts';
import { heldShare } from '../../support/longest-turn.ts';

const list = <T>(length: number, make: (index: number) => T) =>
  Array.from({ length }, (_, i) => make(i));
const record = (length: number, make: (index: number) => unknown = () => 1) =>
  Object.fromEntries(list(length, (index) => [`k${index}`, make(index)]));
const parse = (http: object) =>
  HttpTemplate.parse({ method: 'POST', url: 'https://api.example/v1', ...http });
const input_schema = { type: 'object', properties: { a: {} } };
const outbound = { check() {} };

test.each<[name: string, body: unknown, fault: RegExp | null]>([
  ['an ordinary one', { a: '{{a}}', b: list(9_000, () => 'b') }, null],
  ['many texts', list(98_000, () => 'b'), /at most 10000 values/],
  ['many names', record(49_000), /at most 10000 values/],
  ['many placeholders', list(98_000, () => '{{a}}'), /at most 100 placeholders/],
  ['many placeholders in a text', '{{a}}'.repeat(400_000), /at most 100 placeholders/],
  ['a text of braces', '{'.repeat(2_000_000), /at most 100 placeholders/],
  [
    'a long name of many texts',
    { ['n'.repeat(20_000)]: list(9_000, () => '{b') },
    /at most 1000 characters/,
  ],
])('a template of a body holds the event loop no longer than one turn: %s', async (...one) => {
  const [, body, fault] = one;
  const http = parse({ body });
  const problems = httpProblems(http, input_schema, outbound);

  expect(problems[0]?.message ?? null).toEqual(fault && expect.stringMatching(fault));
  expect(await heldShare(async () => httpProblems(http, input_schema, outbound))).toBeLessThan(1);
});

const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
const MULTIPART = { headers: { 'content-type': 'multipart/form-data' } };
const field = (form: object, encoding?: object) => ({
  ...{ ...form, body: { a: '{{a}}' } },
  ...(encoding === undefined ? {} : { encoding: { body: { a: encoding } } }),
});
const deep = { style: 'deepObject' };

test.each<[name: string, http: object, value: unknown, isSent?: boolean]>([
  ['a field', field(FORM), ' '.repeat(300_000), true],
  ['a field of quotation marks', field(FORM), "'".repeat(1_000_000)],
  ['a field for each of many elements', field(FORM), list(98_000, () => 'é')],
  ['a field for each of many members', field(FORM, { style: 'form' }), record(49_000)],
  [
    'a long name of many fields',
    field(FORM, deep),
    { ['n'.repeat(20_000)]: list(5_000, () => 'v') },
  ],
  ['many parts', field(MULTIPART), list(98_000, () => 'v')],
  ['JSON of many members', { body: { a: '{{a}}' } }, record(49_000), true],
  ['a parameter for each of many elements', { query: { a: '{{a}}' } }, list(98_000, () => 'v')],
  [
    'a part of the path for each of many members',
    {
      url: 'https://api.example/v1{{a}}',
      encoding: { path: { a: { style: 'matrix', explode: true } } },
    },
    record(49_000),
  ],
  [
    'a header of JSON',
    {
      headers: { b: '{{a}}' },
      encoding: { headers: { b: { content_type: 'application/json' } } },
    },
    'é'.repeat(1_000_000),
  ],
])('building a request holds the event loop no longer than one turn: %s', async (...one) => {
  const [, http, value, isSent = false] = one;
  const template = parse(http);
  let isBuilt = false;
  const build = async () => {
    try {
      isBuilt = buildRequest(template, { arguments: { a: value }, secrets: new Map() }) !== null;
    } catch {
      // Too large.
    }
  };

  expect(await heldShare(build)).toBeLessThan(1);
  expect(isBuilt).toBe(isSent);
});

test.each<[name: string, http: object, more?: object]>([
  ['many parameters', { query: record(49_000, () => 'v') }],
  ['many parameters of another type', { query: record(49_000) }],
  ['many encodings', { encoding: { path: record(12_000, () => ({ explode: 1 })) } }],
  ['many secrets', {}, { secrets: record(49_000, () => 'v') }],
])('reading a draft holds the event loop no longer than one turn: %s', async (...one) => {
  const [, http, more = {}] = one;
  const draft = {
    ...{ kind: 'http', name: 'a', description: 'A tool.', ...more },
    http: { method: 'GET', url: 'https://api.example/v1', ...http },
  };

  expect(ToolDraft.safeParse(draft).error?.issues).toMatchObject([
    { message: 'must have at most 50 entries' },
  ]);
  expect(await heldShare(async () => ToolDraft.safeParse(draft))).toBeLessThan(1);
});
