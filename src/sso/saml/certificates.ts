import { X509Certificate } from 'node:crypto';
import { providerInvalid } from './provider-problems.ts';

const MIN_RSA_BITS = 2048;

/**
 * Reads a certificate in PEM, or in base64 as in metadata, and returns it as PEM. Its dates are
 * not checked: the connection trusts this key and no authority, and many providers sign with a
 * certificate that has expired.
 */
export function readCertificate(written: string): string {
  const certificate = parse(written);
  if (certificate === null) throw providerInvalid('certificate_invalid');
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa') throw providerInvalid('certificate_not_rsa');
  if ((asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS)
    throw providerInvalid('certificate_weak');
  return certificate.toString();
}

function parse(written: string): X509Certificate | null {
  try {
    return written.includes('-----BEGIN')
      ? new X509Certificate(written)
      : new X509Certificate(Buffer.from(written, 'base64'));
  } catch {
    return null;
  }
}
