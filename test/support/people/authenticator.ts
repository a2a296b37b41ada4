import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The fields of the service's creation options that an authenticator reads. */
export interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}
export interface RequestOptions {
  challenge: string;
  rpId: string;
  allowCredentials?: { id: string }[];
}

/** Values that replace what an honest browser and authenticator would send. */
export interface Tampering {
  origin?: string;
  challenge?: string;
  rpId?: string;
  type?: string;
  userVerified?: boolean;
  userPresent?: boolean;
  counter?: number;
  userHandle?: string | null;
  /** Signs with a key that was not registered. */
  forged?: boolean;
}

const UP = 0x01;
const UV = 0x04;
const AT = 0x40;
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const encode = (data: Buffer | string) => Buffer.from(data).toString('base64url');

/** Creates a software authenticator with real WebAuthn data: one P-256 key, attestation "none". */
export function createAuthenticator(origin: string, { counts = true } = {}) {
  const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey, publicKey } = newKey();
  const id = randomBytes(32);
  let counter = 0;
  let handle: string | null = null;

  const clientData = (type: string, challenge: string, tampering: Tampering) =>
    Buffer.from(
      JSON.stringify({
        type: tampering.type ?? type,
        challenge: tampering.challenge ?? challenge,
        origin: tampering.origin ?? origin,
        crossOrigin: false,
      }),
    );

  function authenticatorData(rpId: string, tampering: Tampering, attested: Buffer | null): Buffer {
    const flags =
      (tampering.userPresent === false ? 0 : UP) |
      (tampering.userVerified === false ? 0 : UV) |
      (attested ? AT : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(tampering.counter ?? (counts ? counter : 0));
    const parts = [sha256(tampering.rpId ?? rpId), Buffer.from([flags]), count];
    return Buffer.concat(attested ? [...parts, attested] : parts);
  }

  function credentialData(): Buffer {
    const { x, y } = publicKey.export({ format: 'jwk' });
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ]);
    const length = Buffer.from([0, id.length]);
    return Buffer.concat([Buffer.alloc(16), length, id, cbor(key)]);
  }

  return {
    id: encode(id),
    /** Returns the result of `navigator.credentials.create` as JSON. */
    create(options: CreationOptions, tampering: Tampering = {}) {
      handle = options.user.id;
      const authData = authenticatorData(options.rp.id, tampering, credentialData());
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return {
        id: encode(id),
        rawId: encode(id),
        type: 'public-key',
        response: {
          clientDataJSON: encode(clientData('webauthn.create', options.challenge, tampering)),
          attestationObject: encode(cbor(attestation)),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      };
    },
    /** Returns the result of `navigator.credentials.get` as JSON. */
    get(options: RequestOptions, tampering: Tampering = {}) {
      counter += 1;
      const data = clientData('webauthn.get', options.challenge, tampering);
      const authData = authenticatorData(options.rpId, tampering, null);
      const key = tampering.forged ? newKey().privateKey : privateKey;
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), key);
      return {
        id: encode(id),
        rawId: encode(id),
        type: 'public-key',
        response: {
          clientDataJSON: encode(data),
          authenticatorData: encode(authData),
          signature: encode(signature),
          ...(tampering.userHandle === null ? {} : { userHandle: tampering.userHandle ?? handle }),
        },
        clientExtensionResults: {},
      };
    },
  };
}
export type Authenticator = ReturnType<typeof createAuthenticator>;

/** Encodes the CBOR that authenticators write: integers, bytes, text and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
  throw new TypeError('authenticators do not write this type');
}

function head(kind: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(kind << 5) | length]);
  if (length < 256) return Buffer.from([(kind << 5) | 24, length]);
  return Buffer.from([(kind << 5) | 25, length >> 8, length & 255]);
}
