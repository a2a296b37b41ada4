import { alignmentsOf } from './versions.ts';

interface Grid {
  size: number;
  modules: boolean[][];
  /** Modules of patterns, format and version, which hold no data. */
  isReserved: boolean[][];
}

/** Error correction M (00) with mask 0 (000), and its 10 bits of error correction, masked. */
const FORMAT = 0b101010000010010;
/** x¹² + x¹¹ + x¹⁰ + x⁹ + x⁸ + x⁵ + x² + 1, the polynomial of the version's error correction. */
const VERSION_POLYNOMIAL = 0x1f25;
const FIRST_WITH_VERSION = 7;
/** The row and column of the timing patterns. */
const TIMING = 6;

/** Creates a grid with its patterns. */
export function createGrid(version: number): Grid {
  const size = 4 * version + 17;
  const empty = () => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const grid: Grid = { size, modules: empty(), isReserved: empty() };
  for (let at = 0; at < size; at += 1) {
    set(grid, TIMING, at, at % 2 === 0);
    set(grid, at, TIMING, at % 2 === 0);
  }
  for (const [y, x] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    drawRings(grid, { y, x, radius: 4 });
  const centres = alignmentsOf(version);
  const last = centres.at(-1);
  for (const y of centres)
    for (const x of centres) {
      const isAtFinder =
        (y === TIMING && (x === TIMING || x === last)) || (y === last && x === TIMING);
      if (!isAtFinder) drawRings(grid, { y, x, radius: 2 });
    }
  drawFormat(grid, version);
  return grid;
}

function set({ modules, isReserved }: Grid, y: number, x: number, isDark: boolean): void {
  modules[y]![x] = isDark;
  isReserved[y]![x] = true;
}

/** Draws a pattern of square rings; the outer ring of a finder, 4 from its centre, is light. */
function drawRings(grid: Grid, { y, x, radius }: { y: number; x: number; radius: 2 | 4 }): void {
  const light = radius === 4 ? [2, 4] : [1];
  for (let dy = -radius; dy <= radius; dy += 1)
    for (let dx = -radius; dx <= radius; dx += 1) {
      const isInside = [y + dy, x + dx].every((at) => at >= 0 && at < grid.size);
      const ring = Math.max(Math.abs(dy), Math.abs(dx));
      if (isInside) set(grid, y + dy, x + dx, !light.includes(ring));
    }
}

/** Draws the format twice, the module that is always dark, and from version 7 the version twice. */
function drawFormat(grid: Grid, version: number): void {
  const { size } = grid;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = ((FORMAT >> bit) & 1) === 1;
    const near = bit < 6 ? bit : bit < 8 ? bit + 1 : bit === 8 ? 7 : 14 - bit;
    if (bit < 8) {
      set(grid, near, 8, isDark);
      set(grid, 8, size - 1 - bit, isDark);
    } else {
      set(grid, 8, near, isDark);
      set(grid, size - 15 + bit, 8, isDark);
    }
  }
  set(grid, size - 8, 8, true);
  if (version < FIRST_WITH_VERSION) return;
  let remainder = version;
  for (let step = 0; step < 12; step += 1)
    remainder = (remainder << 1) ^ ((remainder >> 11) * VERSION_POLYNOMIAL);
  const bits = (version << 12) | remainder;
  for (let bit = 0; bit < 18; bit += 1) {
    const isDark = ((bits >> bit) & 1) === 1;
    const [a, b] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
    set(grid, a, b, isDark);
    set(grid, b, a, isDark);
  }
}

/** Fills what is not reserved in columns of two from the right, up and down in turn, with mask 0. */
export function drawData({ size, modules, isReserved }: Grid, bytes: readonly number[]): void {
  let bit = 0;
  let isUpward = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === TIMING) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (isReserved[y]![x] === true) continue;
        const isSet = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        modules[y]![x] = isSet !== ((y + x) % 2 === 0);
        bit += 1;
      }
    }
    isUpward = !isUpward;
  }
}
