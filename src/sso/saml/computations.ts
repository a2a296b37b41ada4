import { SamlRefused } from './refused.ts';
import type { SamlReason } from './refused.ts';
import { verifyResponse } from './verify-response.ts';
import type { PostedResponse, SamlConnection, SamlIdentity } from './verify-response.ts';

export interface VerificationInput {
  connection: SamlConnection;
  posted: PostedResponse;
}

/** The outcome in a worker process, which returns JSON. */
export type VerificationOutput =
  | { identity: Omit<SamlIdentity, 'expires_at'> & { expires_at: string } }
  | { refused: SamlReason };

/** The computation that worker processes run: verifies a response. */
export const tools = [
  {
    name: 'verify_saml_response',
    async compute(input: unknown): Promise<VerificationOutput> {
      const { connection, posted } = input as VerificationInput;
      try {
        const { expires_at, ...identity } = await verifyResponse(connection, posted);
        return { identity: { ...identity, expires_at: expires_at.toISOString() } };
      } catch (error) {
        if (error instanceof SamlRefused) return { refused: error.reason };
        throw error;
      }
    },
  },
];
