import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SOURCES = new URL('../../src/', import.meta.url);

/** Returns every UPDATE and INSERT statement of the sources, with its file. */
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

// Columns that only one of several concurrent statements may set (reliability.md 1.3).
const ONCE = /\b((?:revoked|consumed|confirmed|finished|ended)_at|stuck_since) = now\(\)/;
const FIRST = /\bINSERT INTO (?:used_once|usage_ledger)\b/;

/**
 * Returns the fault of a statement that relies on an earlier check, which two requests may pass.
 */
function faultOf(text: string): string | null {
  const [, column] = (/\bUPDATE\b/.test(text) && ONCE.exec(text)) || [];
  if (column !== undefined && !new RegExp(`\\b${column} IS NULL\\b`).test(text))
    return `sets ${column} even if it is already set`;
  if (FIRST.test(text) && !text.includes('ON CONFLICT')) return 'fails on a conflict';
  return null;
}

test('a one-time change is decided by the statement that makes it (reliability.md 1.3)', () => {
  const found = statements().map(({ file, text }) => ({ file, fault: faultOf(text) }));

  expect(found.filter(({ fault }) => fault !== null)).toEqual([]);
});

test('the check finds existing statements and a planted fault', () => {
  const seen = statements().filter(({ text }) => ONCE.test(text) || FIRST.test(text));

  expect(seen.length).toBeGreaterThan(10);
  expect(faultOf('UPDATE sign_in_flow SET consumed_at = now() WHERE id = $1')).not.toBeNull();
  expect(faultOf('INSERT INTO used_once (kind) VALUES ($1)')).not.toBeNull();
});
