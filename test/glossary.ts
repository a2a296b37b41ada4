// Words to avoid in comments, docs, test titles and messages, and what to write instead.
// `npm run check` runs this file; test/unit/glossary.test.ts plants violations.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Reason or replacement by word; longer words that contain it are allowed. */
export const WORDS: Readonly<Record<string, string>> = {
  albeit: 'although',
  amongst: 'among',
  anew: 'again',
  behold: 'name what is shown',
  beside: 'next to, with, in addition to',
  befall: 'happen to',
  catalogue: 'catalog: one spelling',
  forthwith: 'at once',
  'for ever': 'forever',
  hence: 'so, therefore',
  henceforth: 'from then on',
  hereby: 'leave it out',
  herein: 'here',
  hitherto: 'until now',
  lest: 'so that … not',
  mend: 'repair',
  nought: 'nothing',
  overtaken: 'ConcurrentUpdate, outdated',
  perchance: 'possibly',
  seldom: 'rarely',
  shall: 'must, will',
  thence: 'from there',
  thereby: 'leave it out, or: by this',
  therein: 'in it',
  thereof: 'of it',
  thereupon: 'then',
  thrice: 'three times',
  'that is no': 'that is not a',
  thus: 'so',
  unto: 'to',
  upon: 'on',
  whence: 'from where',
  whereby: 'by which',
  wherein: 'in which',
  whereof: 'whose, about which',
  whereupon: 'then',
  whilst: 'while',
  whither: 'where',
  whoever: 'anyone who, or the subject itself',
  whom: 'name the person: the caller, the owner',
  'what is left': 'the rest, the remaining …',
};

/** Openings that delay the subject. */
const COMMENT = /^\/[/*]*\s*(?:By whom|Of whom|Of which|Whom|Whose|By what|Of what)\b/;
const TITLE = /^(?:test|describe)(?:\.\w+)?\(\s*['"`](?:of|whose|whom) /gm;

const WORD = new RegExp(`\\b(?:${Object.keys(WORDS).join('|')})(?! longer)\\b`, 'gi');
// Comments and literals. A quote inside a regular expression may hide prose on that line.
const PROSE = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** Returns the discouraged words in a file's prose: `line: word (write …)`. */
export function findWords(file: string, text: string): string[] {
  const found: [offset: number, problem: string][] = [];
  const isCode = !file.endsWith('.md');
  const parts = isCode ? text.matchAll(PROSE) : [Object.assign([text], { index: 0 })];
  for (const { 0: part, index } of parts) {
    for (const word of part.matchAll(WORD)) {
      const instead = WORDS[word[0].toLowerCase()];
      found.push([index + word.index, `"${word[0]}" (write: ${instead})`]);
    }
    if (COMMENT.test(part)) found.push([index, 'a comment starts with a verb or a noun']);
  }
  if (isCode)
    for (const { index } of text.matchAll(TITLE))
      found.push([index, 'a test title starts with its subject']);
  return found.map(
    ([offset, problem]) => `${text.slice(0, offset).split('\n').length}: ${problem}`,
  );
}

const FOLDERS = ['src', 'stack', 'test', 'docs', 'README.md', 'CONTRIBUTING.md'];
/** This list itself, and texts in other languages. */
const EXEMPT = /^(?:test\/glossary\.ts|test\/unit\/glossary\.test\.ts|src\/texts\/|docs\/emails\/)/;

function checkAll(): void {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const list = execFileSync('git', ['ls-files', '-z', ...FOLDERS], { cwd: root, encoding: 'utf8' });
  const files = list.split('\0').filter((file) => /\.(?:ts|mjs|js|md)$/.test(file));
  for (const file of files.filter((path) => !EXEMPT.test(path)))
    for (const problem of findWords(file, readFileSync(`${root}${file}`, 'utf8'))) {
      console.error(`${file}:${problem}`);
      process.exitCode = 1;
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) checkAll();
