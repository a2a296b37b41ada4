import { createSign, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A key of an identity provider with its self-signed certificate, both as PEM. */
export interface SigningPair {
  key: string;
  certificate: string;
}

/** Creates an RSA key and its certificate, or one of another type that no provider may sign with. */
export function createSigningPair(type: 'rsa' | 'rsa-1024' | 'ec' = 'rsa'): SigningPair {
  const { publicKey, privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: type === 'rsa' ? 2048 : 1024 });
  const oid = type === 'ec' ? ECDSA_SHA256 : RSA_SHA256;
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: toPem(selfSigned(publicKey, privateKey, oid)),
  };
}

// Object identifiers in DER: 1.2.840.113549.1.1.11, 1.2.840.10045.4.3.2 and 2.5.4.3.
const RSA_SHA256 = der(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'));
const ECDSA_SHA256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/** Builds an X.509 certificate (RFC 5280), which Node can read but not write. */
function selfSigned(publicKey: KeyObject, privateKey: KeyObject, algorithm: Buffer): Buffer {
  const name = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from('provider')))));
  const times = [Buffer.from('200101000000Z'), Buffer.from('490101000000Z')];
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    der(0x30, ...times.map((time) => der(0x17, time))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  return der(0x30, body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const toPem = (certificate: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
