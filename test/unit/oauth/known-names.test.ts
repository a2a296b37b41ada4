import { expect, test } from 'vitest';
import { lookalikeOf } from '../../../src/oauth/consent/known-names.ts';
import { oauthClientPresets } from '../../../src/snippets/oauth-clients.ts';

const ELSEWHERE = 'https://evil.example/callback';

test.each([
  ['the same name', 'Claude Code', 'Claude Code'],
  ['other capitals', 'claude CODE', 'Claude Code'],
  ['no space', 'ClaudeCode', 'Claude Code'],
  ['more spaces', 'C l a u d e  Code', 'Claude Code'],
  ['signs instead of spaces', 'Claude_Code', 'Claude Code'],
  ['a name around it', 'The official Claude Code (beta)', 'Claude Code'],
  ['Cyrillic letters', 'Сlаudе Соdе', 'Claude Code'],
  ['Greek letters', 'Cursοr', 'Cursor'],
  ['full-width letters', 'ＣｕｒｓｏＲ', 'Cursor'],
  ['mathematical letters', '𝐂𝐡𝐚𝐭𝐆𝐏𝐓', 'ChatGPT'],
  ['accents', 'Çlàude', 'Claude'],
  ['digits', 'C1aude C0de', 'Claude Code'],
  ['a capital i for an l', 'CIaude', 'Claude'],
  ['another name of a known client', 'Visual Studio Code', 'Visual Studio Code'],
])('a name is like that of a known client despite %s', (_title, name, known) => {
  expect(lookalikeOf(name, ELSEWHERE)).toBe(known);
});

test.each(['Notes', 'Clause Checker', 'Precursor Labs', 'Decoder', 'Dev tools', '提示词', 'مساعد'])(
  'an unrelated name is not marked: %s',
  (name) => {
    expect(lookalikeOf(name, ELSEWHERE)).toBeNull();
  },
);

test.each(
  oauthClientPresets('').flatMap((one) => one.redirect_uris.map((uri) => [one.title, uri])),
)('a known client at one of its own addresses is not marked: %s, %s', (title, uri) => {
  expect(lookalikeOf(title, uri)).toBeNull();
});

test.each([
  ['Claude', 'http://localhost:53121/callback', null],
  ['ChatGPT', 'https://chatgpt.com/connector/oauth/abc', null],
  ['ChatGPT', 'https://chatgpt.com.evil.example/connector/oauth/abc', 'ChatGPT'],
  ['ChatGPT', 'https://notchatgpt.com/', 'ChatGPT'],
  ['Codex', 'http://127.0.0.1:1455/callback/abc', null],
  ['Codex', 'http://127.0.0.1:1455/callbacks', 'Codex'],
  ['Claude Code', 'com.evil.app:/callback', 'Claude Code'],
])('%s is judged by the address that receives the answer: %s', (name, uri, known) => {
  expect(lookalikeOf(name, uri)).toBe(known);
});

test.each(['Ϲlaude Code', 'Ꮯlaude Code', 'Ⲥlaude Code', 'Cꞁaude Code', 'Ϲursor', 'ClaudeϹode'])(
  'a name is folded before its letters are decomposed: %s looks like a known one',
  (name) => {
    expect(lookalikeOf(name, 'https://evil.example/cb')).not.toBeNull();
  },
);
