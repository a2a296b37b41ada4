import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Assertion, Attestation } from './schema.ts';
import { findCredential, listDescriptors, saveChallenge, takeChallenge } from './store.ts';
import type { Credential } from './store.ts';

/** A verified signature; it takes effect when its counter is saved. */
export interface VerifiedSignature {
  credential: Credential;
  counter: number;
}

// EdDSA, ES256, RS256: they cover every authenticator, and none is experimental in Node.
const supportedAlgorithmIDs = [-8, -7, -257];
const FIVE_MINUTES_MS = 300_000;

// Imported on first use: its certificate formats take 25 MB of memory.
const load = () => import('@simplewebauthn/server');

/** Returns the WebAuthn user handle: the bytes of the account's id, without personal data. */
const handleOf = (accountId: string) => Buffer.from(accountId.replaceAll('-', ''), 'hex');

/**
 * Runs the WebAuthn ceremonies. A `flow` names what a challenge belongs to. A challenge is consumed
 * by its first response, whether or not the signature is valid. The library throws for every failed
 * check, so any of its errors means an invalid response.
 */
export function createCeremony({ database, config }: Pick<AccountsParts, 'database' | 'config'>) {
  const rpID = new URL(config.DASHBOARD_URL).hostname;
  const expectedOrigin = [config.DASHBOARD_URL, config.PUBLIC_URL];
  const expected = { expectedOrigin, expectedRPID: rpID, requireUserVerification: true };

  async function challengeOf(flow: string): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = newToken();
    await saveChallenge(database.pool, { flow_hash: hashSecret(flow), challenge });
    return Buffer.from(challenge, 'base64url');
  }
  const consumeChallenge = (flow: string) => takeChallenge(database.pool, hashSecret(flow));

  return {
    /** Whether pages of the gateway can use passkeys: its host is the dashboard's, or below it. */
    worksOnPages: `.${new URL(config.PUBLIC_URL).hostname}`.endsWith(`.${rpID}`),
    async registrationOptions(flow: string, account: { id: string; name: string }) {
      const { generateRegistrationOptions } = await load();
      return generateRegistrationOptions({
        rpName: 'toolgate',
        rpID,
        userName: account.name,
        userID: handleOf(account.id),
        challenge: await challengeOf(flow),
        timeout: FIVE_MINUTES_MS,
        supportedAlgorithmIDs,
        excludeCredentials: [...(await listDescriptors(database.pool, account.id))],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
    },

    /** Returns the new credential, or null if the response is invalid. */
    async register(flow: string, response: Attestation) {
      const expectedChallenge = await consumeChallenge(flow);
      if (expectedChallenge === null) return null;
      return verifyAttestation({ ...expected, expectedChallenge }, response);
    },

    /**
     * Returns sign-in options; without an account they accept any passkey and reveal no account.
     */
    async signInOptions(flow: string, accountId: string | null) {
      const { generateAuthenticationOptions } = await load();
      return generateAuthenticationOptions({
        rpID,
        challenge: await challengeOf(flow),
        timeout: FIVE_MINUTES_MS,
        userVerification: 'required',
        ...(accountId === null
          ? {}
          : { allowCredentials: [...(await listDescriptors(database.pool, accountId))] }),
      });
    },

    /** Verifies a signature by a known credential of any account; null if it is invalid. */
    async verify(flow: string, response: Assertion): Promise<VerifiedSignature | null> {
      const expectedChallenge = await consumeChallenge(flow);
      const credential = await findCredential(database.pool, response.id);
      if (expectedChallenge === null || credential === null) return null;
      const handle = response.response.userHandle;
      if (handle && handle !== handleOf(credential.account_id).toString('base64url')) return null;
      const counter = await verifyAssertion(
        { ...expected, expectedChallenge },
        credential,
        response,
      );
      return counter === null ? null : { credential, counter };
    },
  };
}
export type Ceremony = ReturnType<typeof createCeremony>;

interface Expected {
  expectedOrigin: string[];
  expectedRPID: string;
  requireUserVerification: boolean;
  expectedChallenge: string;
}

/** Returns the credential of a valid registration response, or null. */
async function verifyAttestation(expected: Expected, response: Attestation) {
  const { verifyRegistrationResponse } = await load();
  const verified = await verifyRegistrationResponse({
    ...expected,
    supportedAlgorithmIDs,
    response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
  }).catch(() => null);
  return verified?.verified ? verified.registrationInfo.credential : null;
}

/** Returns the new counter of a valid signature, or null. */
async function verifyAssertion(
  expected: Expected,
  { credential_id, public_key, counter }: Credential,
  response: Assertion,
): Promise<number | null> {
  const userHandle = response.response.userHandle ?? undefined;
  const { verifyAuthenticationResponse } = await load();
  const verified = await verifyAuthenticationResponse({
    ...expected,
    response: {
      ...response,
      response: { ...response.response, userHandle },
      clientExtensionResults: {},
    } as AuthenticationResponseJSON,
    credential: { id: credential_id, publicKey: new Uint8Array(public_key), counter },
  }).catch(() => null);
  return verified?.verified ? verified.authenticationInfo.newCounter : null;
}
