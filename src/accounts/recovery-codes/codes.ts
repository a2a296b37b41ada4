import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { consumeRecoveryCode, replaceRecoveryCodes } from './store.ts';

const CODE_COUNT = 10;
const CODE_BYTES = 10;
// RFC 4648 base32 in lower case, without 0, 1, 8 and 9, which look like o, l, b and g.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const SHAPE = /^[a-z2-7]{16}$/;

/** Replaces the account's recovery codes and returns the new ones, which are shown only once. */
export async function issueRecoveryCodes(
  transaction: Transaction,
  accountId: string,
): Promise<string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => hashSecret(readRecoveryCode(code)!));
  await replaceRecoveryCodes(transaction, accountId, hashes);
  return codes;
}

/** Consumes a code; false if the account does not have it, or no longer has it. */
export async function useRecoveryCode(
  transaction: Transaction,
  accountId: string,
  text: string,
): Promise<boolean> {
  const code = readRecoveryCode(text);
  return code !== null && consumeRecoveryCode(transaction, accountId, hashSecret(code));
}

/** Returns ten codes of 80 random bits, in groups of four characters. */
const newRecoveryCodes = (): string[] => Array.from({ length: CODE_COUNT }, newCode);

function newCode(): string {
  const bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
  const letters = Array.from(
    { length: 16 },
    (_, index) => ALPHABET[Number((bits >> BigInt(5 * index)) & 31n)],
  );
  return letters.join('').replaceAll(/.{4}(?!$)/g, '$&-');
}

/** Returns a typed code in the form that is hashed, or null if it is malformed. */
function readRecoveryCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, '').toLowerCase();
  return SHAPE.test(code) ? code : null;
}
