import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { consumeRecoveryCode, replaceRecoveryCodes } from './store.ts';

const CODES = 10;
const CODE_BYTES = 10;
// Of RFC 4648 in lower case: no 0, 1, 8 or 9, which are read as o, l, b and g.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const SHAPE = /^[a-z2-7]{16}$/;

/** Kills the codes there were; the new ones are shown once. */
export async function issueRecoveryCodes(
  transaction: Transaction,
  accountId: string,
): Promise<string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => hashSecret(readRecoveryCode(code)!));
  await replaceRecoveryCodes(transaction, accountId, hashes);
  return codes;
}

/** Uses a code up; false if the account has no such code, or no longer. */
export async function useRecoveryCode(
  transaction: Transaction,
  accountId: string,
  text: string,
): Promise<boolean> {
  const code = readRecoveryCode(text);
  return code !== null && consumeRecoveryCode(transaction, accountId, hashSecret(code));
}

/** Ten codes of 80 random bits, in groups of four. */
const newRecoveryCodes = (): string[] => Array.from({ length: CODES }, newCode);

function newCode(): string {
  const bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
  const letters = Array.from(
    { length: 16 },
    (_, place) => ALPHABET[Number((bits >> BigInt(5 * place)) & 31n)],
  );
  return letters.join('').replaceAll(/.{4}(?!$)/g, '$&-');
}

/** A code as it is hashed, however it was typed; null if it is none. */
function readRecoveryCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, '').toLowerCase();
  return SHAPE.test(code) ? code : null;
}
