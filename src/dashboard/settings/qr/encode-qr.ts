import { withErrorCorrection } from './error-correction.ts';
import { createGrid, drawData } from './modules.ts';
import { VERSIONS } from './versions.ts';
import type { Version } from './versions.ts';

/** Mode indicator of a text as bytes (ISO/IEC 18004, 7.4.5). */
const BYTES = 0b0100;
const PADDING = [0xec, 0x11];
/** From this version on, the length has two bytes. */
const LONG_LENGTH = 10;

/**
 * Returns the modules of a QR code with error correction M, row by row, true for dark; null if the
 * text is too long. The mask is fixed: scanners read any.
 */
export function encodeQr(text: string): boolean[][] | null {
  const bytes = new TextEncoder().encode(text);
  const version = VERSIONS.find((one) => headBits(one) + 8 * bytes.length <= 8 * one.dataBytes);
  if (version === undefined) return null;
  const grid = createGrid(version.number);
  drawData(grid, withErrorCorrection(dataOf(bytes, version), version));
  return grid.modules;
}

const lengthBits = ({ number }: Version) => (number < LONG_LENGTH ? 8 : 16);
const headBits = (version: Version) => 4 + lengthBits(version);

/** Mode, length and text as bytes, padded to what the version holds. */
function dataOf(bytes: Uint8Array, version: Version): number[] {
  const bits = [
    ...bitsOf(BYTES, 4),
    ...bitsOf(bytes.length, lengthBits(version)),
    ...[...bytes].flatMap((byte) => bitsOf(byte, 8)),
  ];
  const end = Math.min(4, 8 * version.dataBytes - bits.length);
  bits.push(...Array<number>(end).fill(0));
  while (bits.length % 8 > 0) bits.push(0);
  const data = Array.from({ length: bits.length / 8 }, (_, at) =>
    bits.slice(8 * at, 8 * at + 8).reduce((byte, bit) => 2 * byte + bit, 0),
  );
  for (let at = 0; data.length < version.dataBytes; at += 1) data.push(PADDING[at % 2]!);
  return data;
}

const bitsOf = (value: number, length: number): number[] =>
  Array.from({ length }, (_, at) => (value >> (length - 1 - at)) & 1);
