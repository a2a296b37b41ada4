import { beforeAll, describe, expect, test } from 'vitest';
import { ConnectionDraft } from '../../../src/sso/connections/schema.ts';
import { readProviderMetadata } from '../../../src/sso/saml/provider-metadata.ts';
import { createSigningPair } from '../../support/peers/saml/signing-pair.ts';

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const BINDINGS = 'urn:oasis:names:tc:SAML:2.0:bindings';

let certificates: Record<'old' | 'new' | 'weak' | 'ec', string> = null!;
beforeAll(() => {
  const certificateOf = (type?: Parameters<typeof createSigningPair>[0]) =>
    createSigningPair(type).certificate;
  certificates = {
    old: certificateOf(),
    new: certificateOf(),
    weak: certificateOf('rsa-1024'),
    ec: certificateOf('ec'),
  };
});

/** The content of a certificate as metadata has it: base64 with line breaks. */
const bare = (pem: string) => pem.replaceAll(/-----[^-]*-----/g, '');

const key = (pem: string, use = ' use="signing"') =>
  `<KeyDescriptor${use}><d:KeyInfo xmlns:d="http://www.w3.org/2000/09/xmldsig#"><d:X509Data>
    <d:X509Certificate>${bare(pem)}</d:X509Certificate></d:X509Data></d:KeyInfo></KeyDescriptor>`;

const service = (location: string, binding = 'HTTP-Redirect') =>
  `<SingleSignOnService Binding="${BINDINGS}:${binding}" Location="${location}"/>`;

const entity = (content: string, id = 'https://idp.example.com') =>
  `<EntityDescriptor xmlns="${METADATA}" entityID="${id}">${content}</EntityDescriptor>`;

const role = (content: string, protocol = PROTOCOL) =>
  `<IDPSSODescriptor protocolSupportEnumeration="${protocol}">${content}</IDPSSODescriptor>`;

const usual = () => key(certificates.old) + service('https://idp.example.com/sso?tenant=1');

describe('metadata of an identity provider is read', () => {
  test.each([
    ['as a document', (one: string) => one],
    [
      'with declaration, comment and byte order mark',
      (one: string) => `\uFEFF<?xml version="1.0"?><!-- x -->${one}`,
    ],
    [
      'as the one identity provider of a list',
      (one: string) =>
        `<EntitiesDescriptor xmlns="${METADATA}">${entity('<SPSSODescriptor/>', 'sp')}${one}</EntitiesDescriptor>`,
    ],
  ])('%s', (_title, wrap) => {
    const provider = readProviderMetadata(wrap(entity(role(usual()))));

    expect(provider).toEqual({
      entity_id: 'https://idp.example.com',
      sign_in_url: 'https://idp.example.com/sso?tenant=1',
      certificates: [certificates.old],
    });
  });

  test('with each certificate that may sign, once', () => {
    const keys = [
      key(certificates.old),
      key(certificates.new, ''),
      key(certificates.old),
      key(certificates.ec, ' use="encryption"'),
    ];

    expect(
      readProviderMetadata(entity(role(keys.join('') + service('https://a.example.com'))))
        .certificates,
    ).toEqual([certificates.old, certificates.new]);
  });
});

test('an entity ID of 1,024 characters, the limit of SAML, is accepted from metadata and in the fields', () => {
  const id = `urn:${'a'.repeat(1_020)}`;
  const { sign_in_url, ...provider } = readProviderMetadata(entity(role(usual()), id));

  expect(provider.entity_id).toBe(id);
  const body = { name: 'Acme ID', protocol: 'saml', saml: { ...provider, sign_in_url } };
  expect(ConnectionDraft.safeParse(body).success).toBe(true);
});

describe('metadata is refused', () => {
  const cases: [problem: string, title: string, () => string][] = [
    ['metadata_invalid', 'no XML', () => 'https://idp.example.com/metadata'],
    ['metadata_invalid', 'HTML', () => '<!DOCTYPE html><html></html>'],
    [
      'metadata_invalid',
      'an entity',
      () => `<!DOCTYPE a [<!ENTITY b "c">]>${entity(role(usual()))}`,
    ],
    ['metadata_invalid', 'a service provider', () => entity('<SPSSODescriptor/>')],
    [
      'metadata_invalid',
      'SAML 1.1',
      () => entity(role(usual(), 'urn:oasis:names:tc:SAML:1.1:protocol')),
    ],
    ['metadata_invalid', 'another namespace', () => entity(role(usual())).replace(METADATA, 'x')],
    [
      'metadata_several_providers',
      'several providers',
      () => `<x>${entity(role(usual()))}${entity(role(usual()))}</x>`,
    ],
    ['entity_id_invalid', 'no entity ID', () => entity(role(usual()), '')],
    ['entity_id_invalid', 'a long entity ID', () => entity(role(usual()), 'a'.repeat(1_025))],
    ['sign_in_url_missing', 'no service', () => entity(role(key(certificates.old)))],
    [
      'sign_in_url_missing',
      'no redirect binding',
      () => entity(role(key(certificates.old) + service('https://a.example.com', 'HTTP-POST'))),
    ],
    ...['http://a.example.com', 'javascript:alert(1)', '/sso', '', 'https://u:p@a.example.com'].map(
      (url): [string, string, () => string] => [
        'sign_in_url_invalid',
        url,
        () => entity(role(key(certificates.old) + service(url))),
      ],
    ),
    ['certificate_missing', 'no certificate', () => entity(role(service('https://a.example.com')))],
    [
      'certificate_too_long',
      'a long certificate',
      () => entity(role(key('A'.repeat(16_385)) + usual())),
    ],
    ['certificate_invalid', 'a broken certificate', () => entity(role(key('AAAA') + usual()))],
    ['certificate_not_rsa', 'ECDSA', () => entity(role(key(certificates.ec) + usual()))],
    ['certificate_weak', 'RSA 1024', () => entity(role(key(certificates.weak) + usual()))],
  ];

  test.each(cases)('(%s) %s', (problem, _title, metadata) => {
    const detail = expect.objectContaining({ problem }) as unknown;

    expect(() => readProviderMetadata(metadata())).toThrow(
      expect.objectContaining({ code: 'saml_provider_invalid', detail }) as Error,
    );
  });
});
