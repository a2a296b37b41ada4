import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Patterns } from '../../src/policies/patterns.ts';
import fc from 'fast-check';
import { globAdmits } from '../oracle/policies.ts';

const folder = new URL('../oracle/', import.meta.url);
const files = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));

test('the oracle is small and imports nothing outside its folder', () => {
  const imports = files.flatMap((text) =>
    [...text.matchAll(/from '([^']+)'/g)].map(([, specifier]) => specifier),
  );
  const lines = files
    .flatMap((text) => text.split('\n'))
    .filter((line) => /^\s*[^\s/*]/.test(line));

  expect(imports.filter((specifier) => !/^\.\/\w+\.ts$/.test(specifier!))).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(300);
});

test('a pattern matches exactly the paths that the oracle’s matcher admits (rel:P16)', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '.'), minLength: 1, maxLength: 3 });
  const wild = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 4 });
  const segment = fc.oneof(name, wild, fc.constant('**'));
  const isSegment = (text: string) => text === '**' || !text.includes('**');
  const pattern = fc.array(segment.filter(isSegment), { minLength: 1, maxLength: 4 });
  const path = fc.array(name, { minLength: 1, maxLength: 4 });
  const numRuns = 5_000 * Number(process.env['TEST_SCALE'] ?? 1);

  fc.assert(
    fc.property(pattern, path, (segments, parts) => {
      const [glob, target] = [segments.join('/'), parts.join('/')];
      const isMatched = new Patterns([glob]).first(target) !== null;
      expect(isMatched, `${glob} on ${target}`).toBe(globAdmits(glob, target));
    }),
    { numRuns },
  );
});
