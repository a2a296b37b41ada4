import { beforeAll, describe, expect, test } from 'vitest';
import type { ProtocolConnection } from '../../../src/sso/protocol.ts';
import { verifyResponse } from '../../../src/sso/saml/verify-response.ts';
import { signAgain } from '../../support/peers/saml/sign-again.ts';
import { PERSISTENT, samlpResponse } from '../../support/peers/saml/samlp-provider.ts';
import type { SamlpOptions } from '../../support/peers/saml/samlp-provider.ts';
import { createSigningPair } from '../../support/peers/saml/signing-pair.ts';
import type { SigningPair } from '../../support/peers/saml/signing-pair.ts';

const ISSUER = 'https://idp.example.com/metadata';
const REQUEST = '_d0f1c0de';
const base = 'https://gateway.example.com/api/auth/sso/0195d0a8-0000-7000-8000-000000000001';
const service_provider = {
  entity_id: `${base}/metadata`,
  acs_url: `${base}/acs`,
  callback_url: `${base}/callback`,
  metadata_url: `${base}/metadata`,
};
const acs = service_provider.acs_url;
const ada = { subject: 'ada-1', attributes: { email: 'ada@example.com' } };

let [own, other]: [SigningPair, SigningPair] = [null!, null!];
let connection: ProtocolConnection<'saml'> = null!;

beforeAll(() => {
  own = createSigningPair();
  other = createSigningPair();
  connection = {
    id: '0195d0a8-0000-7000-8000-000000000001',
    organization_id: '0195d0a8-0000-7000-8000-000000000002',
    configuration: {
      protocol: 'saml',
      entity_id: ISSUER,
      sign_in_url: 'https://idp.example.com/sso',
      certificates: [own.certificate],
      response_signed: true,
    },
    secret: null,
    service_provider,
    attributes: { email: null, first_name: null, last_name: null },
  };
});

const respond = (overrides: Partial<SamlpOptions> = {}, pair = own, user = ada) =>
  samlpResponse(
    pair,
    {
      issuer: ISSUER,
      audience: service_provider.entity_id,
      acs_url: acs,
      request_id: REQUEST,
    },
    user,
    overrides,
  );

interface Circumstances {
  of?: Partial<ProtocolConnection<'saml'>['configuration']>;
  /** Seconds from now. */
  after?: number;
}

function verify(xml: string, { of = {}, after = 0 }: Circumstances = {}) {
  const response = Buffer.from(xml).toString('base64');
  const now = new Date(Date.now() + after * 1_000);
  const configuration = { ...connection.configuration, ...of };
  return verifyResponse({ ...connection, configuration }, { response, request_id: REQUEST, now });
}

const reasonOf = (xml: string, circumstances?: Circumstances) =>
  verify(xml, circumstances).then(
    () => 'accepted',
    (error: unknown) => (error as { reason?: unknown }).reason ?? error,
  );

const onlyAssertion = { signResponse: false };
const unsignedResponse = { of: { response_signed: false } };

describe('a response is accepted', () => {
  test('that both signatures, issuer, audience, recipient, request and times allow', async () => {
    const identity = await verify(await respond());

    expect(identity.person).toEqual({
      subject: 'ada-1',
      email: 'ada@example.com',
      first_name: null,
      last_name: null,
    });
    expect(identity.assertion_id).toMatch(/^_\w+$/);
    const seconds = (identity.expires_at.getTime() - Date.now()) / 1_000;
    expect(Math.round(seconds / 10) * 10).toBe(330);
  });

  test('of which only the assertion is signed, where the connection allows it', async () => {
    const xml = await respond(onlyAssertion);

    expect(await reasonOf(xml, unsignedResponse)).toBe('accepted');
    expect(await reasonOf(xml)).toBe('signature');
  });

  test('signed with any certificate of the connection, and none but those', async () => {
    const certificates = [own.certificate, other.certificate];

    for (const pair of [own, other])
      expect(await reasonOf(await respond({}, pair), { of: { certificates } })).toBe('accepted');
    expect(await reasonOf(await respond({}, other))).toBe('signature');
  });

  test.each([-29, 329])('%i seconds after it was issued, for clocks differ', async (after) => {
    expect(await reasonOf(await respond(), { after })).toBe('accepted');
  });
});

describe('a response is refused', () => {
  const persistent = PERSISTENT;
  const cases: [reason: string, title: string, Partial<SamlpOptions>, Circumstances?][] = [
    ['signature', 'without any signature', { signResponse: false, signAssertion: false }],
    ['signature', 'with an unsigned assertion', { signAssertion: false }],
    ['issuer', 'from another issuer', { issuer: 'https://other.example.com' }],
    ['audience', 'for another audience', { audience: 'https://other.example.com' }],
    ['audience', 'for nobody in particular', { audience: undefined }],
    ['recipient', 'for another recipient', { recipient: `${acs}/` }],
    ['recipient', 'without a recipient', { recipient: undefined }],
    ['destination', 'for another destination', { destination: 'https://other.example.com' }],
    ['request', 'to another request', { inResponseTo: '_other' }],
    ['request', 'to no request: the provider started it', { inResponseTo: undefined }],
    ['not_yet_valid', 'before it is valid', {}, { after: -32 }],
    ['expired', 'after it has expired', {}, { after: 331 }],
    ['algorithm', 'signed with SHA-1', { signatureAlgorithm: 'rsa-sha1' }],
    ['algorithm', 'digested with SHA-1', { digestAlgorithm: 'sha1' }],
    ['status', 'by which the provider refuses', { samlStatusCode: 'urn:x:Responder' }],
    [
      'subject',
      'about a person without a lasting identifier',
      { nameIdentifierFormat: persistent.replace('persistent', 'transient') },
    ],
  ];

  test.each(cases)('(%s) %s', async (reason, _title, overrides, circumstances) => {
    expect(await reasonOf(await respond(overrides), circumstances)).toBe(reason);
  });

  test('(encrypted) with an encrypted assertion: the connection has no key', async () => {
    const encryptionCert = other.certificate;
    const { publicKey } = new (await import('node:crypto')).X509Certificate(encryptionCert);
    const encryptionPublicKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();

    expect(await reasonOf(await respond({ encryptionCert, encryptionPublicKey }))).toBe(
      'encrypted',
    );
  });
});

describe('a response is refused although the provider signed it', () => {
  const confirmation = /<saml:SubjectConfirmation [\s\S]*<\/saml:SubjectConfirmation>/;
  const cases: [reason: string, title: string, (xml: string) => string][] = [
    ['accepted', 'unless nothing is wrong with it', (xml) => xml],
    [
      'issuer',
      'around another issuer’s',
      (xml) => xml.replace(ISSUER, 'https://other.example.com'),
    ],
    ['request', 'around another request’s', (xml) => xml.replace(REQUEST, '_other')],
    ['expired', 'and never expires', (xml) => xml.replaceAll(/ NotOnOrAfter="[^"]*"/g, '')],
    ['expired', 'with a time in no time zone', (xml) => xml.replaceAll(/(After="[^"]*)Z"/g, '$1"')],
    ['not_yet_valid', 'from a time that is none', (xml) => xml.replace(/(Before=")/, '$1x')],
    ['recipient', 'for holders of a key', (xml) => xml.replace(':cm:bearer', ':cm:holder-of-key')],
    ['recipient', 'without confirmation', (xml) => xml.replace(confirmation, '')],
    ['recipient', 'confirmed twice', (xml) => xml.replace(confirmation, '$&$&')],
    ['subject', 'without a subject', (xml) => xml.replace(/<saml:NameID [\s\S]*?NameID>/, '')],
    ['subject', 'with two subjects', (xml) => xml.replace(/<saml:NameID [\s\S]*?NameID>/, '$&$&')],
    ['subject', 'with an element as its subject', (xml) => xml.replace('ada-1', '<b>ada-1</b>')],
    ['subject', 'with an empty subject', (xml) => xml.replace('ada-1', ' ')],
    ['subject', 'with an endless subject', (xml) => xml.replace('ada-1', 'a'.repeat(256))],
    [
      'subject',
      'without a sign-in',
      (xml) => xml.replace(/<saml:AuthnStatement [\s\S]*<\/saml:AuthnStatement>/, ''),
    ],
    [
      'issuer',
      'with two issuers',
      (xml) => xml.replace(/<saml:Issuer>[^<]*<\/saml:Issuer>/, '$&$&'),
    ],
    [
      'audience',
      'without conditions',
      (xml) => xml.replaceAll(/<saml:Conditions.*Conditions>/g, ''),
    ],
    [
      'audience',
      'for us and, besides, for others alone',
      (xml) =>
        xml.replace(
          '</saml:Conditions>',
          '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>$&',
        ),
    ],
  ];

  test.each(cases)('(%s) %s', async (reason, _title, change) => {
    expect(await reasonOf(signAgain(change(await respond()), own))).toBe(reason);
  });
});

describe('a response that was changed on its way is refused', () => {
  const signature = /<Signature xmlns[\s\S]*?<\/Signature>/;
  const assertion = /<saml:Assertion[\s\S]*<\/saml:Assertion>/;
  /** The attacker's assertion: unsigned, or with the signature of the real one. */
  const forge = (real: string, id: string, keepsSignature = false) =>
    real
      .replace(/ ID="[^"]*"/, ` ID="${id}"`)
      .replace('ada-1', 'admin')
      .replace(signature, keepsSignature ? '$&' : '');
  const edit = (xml: string, replace: (real: string) => string) =>
    xml.replace(assertion, (real) => replace(real));

  type Change = (xml: string) => string;
  const changes: [reason: string, title: string, Change][] = [
    ['signature', 'another subject', (xml) => xml.replace('ada-1', 'admin')],
    ['signature', 'another address', (xml) => xml.replace('ada@', 'admin@')],
    ['assertions', 'a second assertion after it', (xml) => edit(xml, (a) => a + forge(a, '_x'))],
    ['assertions', 'a second assertion before it', (xml) => edit(xml, (a) => forge(a, '_x') + a)],
    [
      'assertions',
      'the signed assertion wrapped in a forged one',
      (xml) => edit(xml, (a) => forge(a, '_x').replace('<saml:Subject>', `${a}$&`)),
    ],
    [
      'assertions',
      'the signed assertion moved into the signature of a forged one',
      (xml) =>
        edit(xml, (a) =>
          forge(a, '_x', true).replace('</Signature>', `<Object>${a}</Object></Signature>`),
        ),
    ],
    [
      'assertions',
      'the signed assertion moved into extensions',
      (xml) => edit(xml, (a) => `<samlp:Extensions>${a}</samlp:Extensions>${forge(a, '_x')}`),
    ],
    [
      'assertions',
      'the signed response inside a forged one',
      (xml) => xml.replace('<samlp:Status>', `<samlp:Extensions>${xml}</samlp:Extensions>$&`),
    ],
    [
      'signature',
      'two elements with one id',
      (xml) => edit(xml, (a) => `<samlp:Extensions ID="${/ ID="([^"]*)"/.exec(a)?.[1]}"/>${a}`),
    ],
    ['assertions', 'no assertion', (xml) => edit(xml, () => '')],
    ['malformed', 'a comment in the subject', (xml) => xml.replace('ada-1', 'ada<!-- -->-1')],
    ['malformed', 'an instruction', (xml) => xml.replace('ada-1', 'ada<?x y?>-1')],
    ['malformed', 'CDATA', (xml) => xml.replace('ada-1', '<![CDATA[ada-1]]>')],
    ['malformed', 'an entity', (xml) => `<!DOCTYPE r [<!ENTITY e "x">]>${xml}`],
    [
      'malformed',
      'an external entity',
      (xml) =>
        `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('ada-1', '&e;')}`,
    ],
    ['malformed', 'an unknown entity', (xml) => xml.replace('ada-1', '&e;')],
    ['malformed', 'a second root', (xml) => `${xml}<x/>`],
    ['malformed', 'another kind of message', (xml) => xml.replaceAll('samlp:Response', 'samlp:X')],
    ['malformed', 'another namespace', (xml) => xml.replaceAll('2.0:protocol', '2.0:other')],
    ['malformed', 'too much text', (xml) => xml.replace('ada-1', 'a'.repeat(200_000))],
    ['malformed', 'too many elements', (xml) => edit(xml, (a) => '<a/>'.repeat(1_500) + a)],
    [
      'malformed',
      'elements nested too deeply',
      (xml) => edit(xml, (a) => '<a>'.repeat(50) + '</a>'.repeat(50) + a),
    ],
    ['malformed', 'no XML', () => 'none'],
    ['malformed', 'nothing', () => ''],
    ['malformed', 'text that is not UTF-8', (xml) => xml.replace('<', '<\u0000')],
  ];

  test.each(changes)('(%s) by %s', async (reason, _title, change) => {
    for (const overrides of [{}, onlyAssertion]) {
      const circumstances = overrides === onlyAssertion ? unsignedResponse : {};
      expect(await reasonOf(change(await respond(overrides)), circumstances)).toBe(reason);
    }
  });

  test('(request) by a claim, without a signature, to answer our request', async () => {
    const xml = await respond({ ...onlyAssertion, inResponseTo: undefined });
    const claimed = xml.replace('<samlp:Response ', `$&InResponseTo="${REQUEST}" `);

    expect(await reasonOf(claimed, unsignedResponse)).toBe('request');
  });

  test('(malformed) by something that is not base64', async () => {
    for (const response of ['', '%', 'a'.repeat(400_000), Buffer.from([255]).toString('base64')])
      await expect(
        verifyResponse(connection, { response, request_id: REQUEST, now: new Date() }),
      ).rejects.toMatchObject({ reason: 'malformed' });
  });
});
