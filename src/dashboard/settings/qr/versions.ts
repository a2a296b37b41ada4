/** A size of QR code with error correction M. */
export interface Version {
  number: number;
  /** Bytes of the text with mode, length and padding. */
  dataBytes: number;
  blocks: number;
  /** Error correction bytes of each block. */
  correctionBytes: number;
}

// Error correction bytes of each block, and blocks, by version (ISO/IEC 18004, table 9).
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];

/** Versions 1 to 20: up to 666 bytes of text, more than the longest address needs. */
export const VERSIONS: readonly Version[] = CORRECTION.map((correctionBytes, index) => {
  const number = index + 1;
  const blocks = BLOCKS[index]!;
  const dataBytes = Math.floor(dataModules(number) / 8) - blocks * correctionBytes;
  return { number, blocks, correctionBytes, dataBytes };
});

/** Modules that are not part of a pattern or of format and version. */
function dataModules(number: number): number {
  const all = (16 * number + 128) * number + 64;
  if (number === 1) return all;
  const alignments = Math.floor(number / 7) + 2;
  const patterns = (25 * alignments - 10) * alignments - 55;
  return all - patterns - (number < 7 ? 0 : 36);
}

/** Coordinates of the centres of the alignment patterns, on both axes. */
export function alignmentsOf(number: number): number[] {
  if (number === 1) return [];
  const count = Math.floor(number / 7) + 2;
  const last = 4 * number + 10;
  const step = Math.ceil((last - 6) / (2 * (count - 1))) * 2;
  const others = Array.from({ length: count - 1 }, (_, index) => last - index * step);
  return [6, ...others.toReversed()];
}
