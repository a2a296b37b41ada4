import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { SigningPair } from './signing-pair.ts';

/** What samlp takes; it has no types. */
export interface SamlpOptions {
  issuer: string;
  key: string;
  cert: string;
  audience: string | string[] | undefined;
  recipient: string | undefined;
  destination: string | undefined;
  inResponseTo: string | undefined;
  lifetimeInSeconds: number;
  signResponse: boolean;
  signAssertion: boolean;
  signatureAlgorithm: 'rsa-sha256' | 'rsa-sha1';
  digestAlgorithm: 'sha256' | 'sha1';
  nameIdentifierFormat: string;
  samlStatusCode: string;
  encryptionPublicKey: string;
  encryptionCert: string;
}

interface Samlp {
  getSamlResponse(
    options: Partial<SamlpOptions> & { profileMapper: unknown },
    user: SamlUser,
    done: (error: Error | null, xml: string) => void,
  ): void;
}

export interface SamlUser {
  subject: string | null;
  attributes: Record<string, string | string[]>;
}

const require = createRequire(import.meta.url);
const samlp = require('samlp') as Samlp;
const getSamlResponse = promisify(samlp.getSamlResponse);

export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** Creates responses with samlp, another implementation of SAML; `overrides` spoil them. */
export const samlpResponse = (
  pair: SigningPair,
  expected: { issuer: string; audience: string; acs_url: string; request_id: string },
  user: SamlUser,
  overrides: Partial<SamlpOptions> = {},
): Promise<string> =>
  getSamlResponse(
    {
      issuer: expected.issuer,
      key: pair.key,
      cert: pair.certificate,
      audience: expected.audience,
      recipient: expected.acs_url,
      destination: expected.acs_url,
      inResponseTo: expected.request_id,
      lifetimeInSeconds: 300,
      signResponse: true,
      signatureAlgorithm: 'rsa-sha256',
      digestAlgorithm: 'sha256',
      nameIdentifierFormat: PERSISTENT,
      profileMapper,
      ...overrides,
    },
    user,
  );

const profileMapper = ({ subject, attributes }: SamlUser) => ({
  getClaims: () => attributes,
  getNameIdentifier: () => ({ nameIdentifier: subject }),
});
