import { signXml } from '@node-saml/node-saml/lib/xml.js';
import type { SigningPair } from './signing-pair.ts';

/** Signs a changed response again, for statements that samlp would never make. */
export function signAgain(xml: string, { key, certificate }: SigningPair): string {
  const unsigned = xml.replaceAll(/<Signature xmlns[\s\S]*?<\/Signature>/g, '');
  return ['Assertion', 'Response'].reduce((signed, name) => {
    const element = `//*[local-name(.)='${name}']`;
    return signXml(
      signed,
      element,
      { reference: `${element}/*[local-name(.)='Issuer']`, action: 'after' },
      {
        privateKey: key,
        publicCert: certificate,
        signatureAlgorithm: 'sha256',
        digestAlgorithm: 'sha256',
      },
    );
  }, unsigned);
}
