import { createHmac } from 'node:crypto';
import type { Queryable } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { Subkeys } from '../../platform/secrets.ts';
import { findUnusedSuccessor, rotateRefreshToken } from './store.ts';

/** Successors of refresh tokens, by the hash that is stored of them. */
type Successors = ReadonlyMap<string, string>;

/**
 * Creates the rotation of refresh tokens (docs/decisions/0037). A successor is derived from its
 * predecessor, so that it can be sent again although only its hash is stored.
 */
export function createRefreshTokens(keys: Subkeys, leewaySeconds: number) {
  const derive = (token: string, key: Buffer) =>
    createHmac('sha256', key).update(token).digest('base64url');

  /** The token may have been used at a gateway with another key, while keys are rotated. */
  const candidates = (token: string): Successors =>
    new Map(
      keys.map((key) => {
        const successor = derive(token, key);
        return [hashSecret(successor).toString('hex'), successor];
      }),
    );

  /**
   * Returns the unused successor of a token that was used within the leeway; null for any other.
   */
  async function successorOf(db: Queryable, token: string): Promise<string | null> {
    if (leewaySeconds === 0) return null;
    const successors = candidates(token);
    const found = await findUnusedSuccessor(db, {
      id_hash: hashSecret(token),
      successors: [...successors.keys()].map((hash) => Buffer.from(hash, 'hex')),
      leewaySeconds,
    });
    return found === null ? null : successors.get(found.toString('hex'))!;
  }

  return {
    successorOf,
    /**
     * Uses a token and returns its successor: the same one for every use within the leeway. Returns
     * null for a token that can no longer be used.
     */
    async use(transaction: Queryable, token: string) {
      const successor = derive(token, keys[0]);
      const isFirstUse = await rotateRefreshToken(transaction, {
        ...{ id_hash: hashSecret(token), successor: hashSecret(successor) },
      });
      return isFirstUse ? successor : successorOf(transaction, token);
    },
  };
}
export type RefreshTokens = ReturnType<typeof createRefreshTokens>;
