import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { encodeQr } from '../../../src/dashboard/settings/qr/encode-qr.ts';

const draw = (rows: boolean[][]) => rows.map((row) => row.map((is) => (is ? '#' : '.')).join(''));

test('a short text is the code that a scanner reads', () => {
  expect(draw(encodeQr('otpauth')!)).toEqual([
    '#######..##.#.#######',
    '#.....#.####..#.....#',
    '#.###.#.......#.###.#',
    '#.###.#..#.#..#.###.#',
    '#.###.#.##..#.#.###.#',
    '#.....#...#.#.#.....#',
    '#######.#.#.#.#######',
    '..........###........',
    '#.#.#.#...##....#..#.',
    '###....#.##...##....#',
    '.#....##..#.#...#.###',
    '.#####.###....##....#',
    '...#.###..#.#.#..#.#.',
    '........##.#.#.###.##',
    '#######..###.####.###',
    '#.....#...####.#....#',
    '#.###.#.#.##.####..##',
    '#.###.#...#...#.##.#.',
    '#.###.#.#...#..####.#',
    '#.....#..#....#....#.',
    '#######.#...#.####.##',
  ]);
});

test('texts of every version are the codes that a scanner reads', () => {
  const digest = createHash('sha256');
  const versions = new Set<number>();
  for (let length = 1; length <= 666; length += 5) {
    const rows = encodeQr(
      'otpauth://totp/toolgate:ada%40example.com?'.repeat(16).slice(0, length),
    )!;
    versions.add((rows.length - 17) / 4);
    digest.update(draw(rows).join('\n'));
  }
  expect(versions.size).toBe(20);
  expect(digest.digest('hex')).toBe(
    '45930c71f0b03cc434fc536439516dfcbd0045f32140530a675be2f43bfd8cd6',
  );
});

test('a text that no version holds has no code', () => {
  expect(encodeQr('x'.repeat(666))).not.toBeNull();
  expect(encodeQr('x'.repeat(667))).toBeNull();
});
