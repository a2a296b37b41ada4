import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Assertion, Attestation } from './schema.ts';
import { findCredential, listDescriptors, saveChallenge, takeChallenge } from './store.ts';
import type { Credential } from './store.ts';

/** A signature that held; it counts when its counter is saved. */
export interface Signed {
  credential: Credential;
  counter: number;
}

// EdDSA, ES256, RS256: what every authenticator can, and nothing Node calls experimental.
const supportedAlgorithmIDs = [-8, -7, -257];
const FIVE_MINUTES_MS = 300_000;

// Its certificates' formats take 25 MB, which nobody needs before the first passkey.
const load = () => import('@simplewebauthn/server');

/** The account's id in bytes: nothing a person could be known by. */
const handleOf = (accountId: string) => Buffer.from(accountId.replaceAll('-', ''), 'hex');

/**
 * WebAuthn between this service and an authenticator. A `flow` names what a challenge belongs to;
 * each is signed once, right or wrong. The library throws for whatever does not hold, so all that
 * it throws is a no.
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
  const take = (flow: string) => takeChallenge(database.pool, hashSecret(flow));

  return {
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

    /** The new credential, or null. */
    async register(flow: string, response: Attestation) {
      const expectedChallenge = await take(flow);
      if (expectedChallenge === null) return null;
      return attested({ ...expected, expectedChallenge }, response);
    },

    /** Without an account every authenticator may answer: the options tell of nobody. */
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

    /** A signature of a credential that is known, by whomever; null if it does not hold. */
    async sign(flow: string, response: Assertion): Promise<Signed | null> {
      const expectedChallenge = await take(flow);
      const credential = await findCredential(database.pool, response.id);
      if (expectedChallenge === null || credential === null) return null;
      const handle = response.response.userHandle;
      if (handle && handle !== handleOf(credential.account_id).toString('base64url')) return null;
      const counter = await signed({ ...expected, expectedChallenge }, credential, response);
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

/** The credential an authenticator made, or null. */
async function attested(expected: Expected, response: Attestation) {
  const { verifyRegistrationResponse } = await load();
  const verified = await verifyRegistrationResponse({
    ...expected,
    supportedAlgorithmIDs,
    response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
  }).catch(() => null);
  return verified?.verified ? verified.registrationInfo.credential : null;
}

/** The counter of a signature that holds, or null. */
async function signed(
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
