import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SOURCES = new URL('../../src/', import.meta.url);

/** Every piece of SQL in the sources, with the file it stands in. */
function statements(): { file: string; text: string }[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('dashboard'))
    .flatMap((file) =>
      [
        ...readFileSync(new URL(file, SOURCES), 'utf8').matchAll(
          /`[^`]*\b(?:UPDATE|INSERT)\b[^`]*`/g,
        ),
      ].map(([text]) => ({ file, text })),
    );
}

// Moments that come once, for one of those who try (reliability.md 1.3).
const ONCE = /\b((?:revoked|consumed|confirmed|finished|ended)_at|stuck_since) = now\(\)/;
const FIRST = /\bINSERT INTO (?:used_once|usage_ledger)\b/;

/** A statement that looked before, in another one, whether it may: two of them may. */
function faultOf(text: string): string | null {
  const [, column] = (/\bUPDATE\b/.test(text) && ONCE.exec(text)) || [];
  if (column !== undefined && !new RegExp(`\\b${column} IS NULL\\b`).test(text))
    return `sets ${column} whether it was set or not`;
  if (FIRST.test(text) && !text.includes('ON CONFLICT')) return 'fails instead of losing';
  return null;
}

test('what happens once is decided by the statement that does it (reliability.md 1.3)', () => {
  const found = statements().map(({ file, text }) => ({ file, fault: faultOf(text) }));

  expect(found.filter(({ fault }) => fault !== null)).toEqual([]);
});

test('the check sees the statements it is there for, and a planted fault', () => {
  const seen = statements().filter(({ text }) => ONCE.test(text) || FIRST.test(text));

  expect(seen.length).toBeGreaterThan(10);
  expect(faultOf('UPDATE sign_in_flow SET consumed_at = now() WHERE id = $1')).not.toBeNull();
  expect(faultOf('INSERT INTO used_once (kind) VALUES ($1)')).not.toBeNull();
});
