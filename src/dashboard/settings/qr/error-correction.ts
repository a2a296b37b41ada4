import type { Version } from './versions.ts';

/** x⁸ + x⁴ + x³ + x² + 1, the polynomial of the field of QR codes. */
const FIELD = 0x11d;

/** Multiplies in the field with 256 elements. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * FIELD);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
}

/** Coefficients of the Reed-Solomon generator polynomial, highest power first, without the first. */
function generatorOf(degree: number): number[] {
  let generator = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let power = 0; power < degree; power += 1) {
    generator = generator.map(
      (coefficient, index) => multiply(coefficient, root) ^ (generator[index + 1] ?? 0),
    );
    root = multiply(root, 2);
  }
  return generator;
}

function remainderOf(data: readonly number[], generator: readonly number[]): number[] {
  const remainder = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ remainder.shift()!;
    remainder.push(0);
    for (const [index, coefficient] of generator.entries())
      remainder[index]! ^= multiply(coefficient, factor);
  }
  return remainder;
}

/** Splits the data into blocks, adds error correction to each, and interleaves them. */
export function withErrorCorrection(
  data: readonly number[],
  { blocks: count, correctionBytes, dataBytes }: Version,
): number[] {
  const generator = generatorOf(correctionBytes);
  const short = Math.floor(dataBytes / count);
  const shortBlocks = count - (dataBytes % count);
  const blocks = Array.from({ length: count }, (_, index) => {
    const start = index * short + Math.max(0, index - shortBlocks);
    return data.slice(start, start + short + (index < shortBlocks ? 0 : 1));
  });
  const corrections = blocks.map((block) => remainderOf(block, generator));
  return [...interleave(blocks, short + 1), ...interleave(corrections, correctionBytes)];
}

const interleave = (blocks: readonly number[][], length: number): number[] =>
  Array.from({ length }, (_, index) => blocks.flatMap((block) => block[index] ?? [])).flat();
