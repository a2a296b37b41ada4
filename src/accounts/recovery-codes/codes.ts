import { randomBytes } from 'node:crypto';

const CODES = 10;
const CODE_BYTES = 10;
// Of RFC 4648 in lower case: no 0, 1, 8 or 9, which are read as o, l, b and g.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const SHAPE = /^[a-z2-7]{16}$/;

/** Ten codes of 80 random bits, in groups of four. */
export const newRecoveryCodes = (): string[] => Array.from({ length: CODES }, newCode);

function newCode(): string {
  const bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
  const letters = Array.from(
    { length: 16 },
    (_, place) => ALPHABET[Number((bits >> BigInt(5 * place)) & 31n)],
  );
  return letters.join('').replaceAll(/.{4}(?!$)/g, '$&-');
}

/** A code as it is hashed, however it was typed; null if it is none. */
export function readRecoveryCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, '').toLowerCase();
  return SHAPE.test(code) ? code : null;
}
