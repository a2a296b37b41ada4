import { expect, test } from 'vitest';
import type { ConnectionAttributes } from '../../../src/sso/connections/schema.ts';
import { readPerson } from '../../../src/sso/saml/person.ts';
import { readXml } from '../../../src/sso/saml/xml.ts';

const FORMAT = 'urn:oasis:names:tc:SAML';
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const USUAL: ConnectionAttributes = { email: null, first_name: null, last_name: null };

function read(
  values: Record<string, string[]>,
  names: Partial<ConnectionAttributes> = {},
  id = `<NameID Format="${FORMAT}:2.0:nameid-format:persistent"> ada-1 </NameID>`,
) {
  const attributes = Object.entries(values).map(
    ([name, texts]) =>
      `<Attribute Name="${name}">${texts.map((text) => `<AttributeValue>${text}</AttributeValue>`).join('')}</Attribute>`,
  );
  const xml = `<Assertion xmlns="${FORMAT}:2.0:assertion"><Subject>${id}</Subject>
    <AttributeStatement>${attributes.join('')}</AttributeStatement></Assertion>`;
  return readPerson(readXml(xml, 1_000), { ...USUAL, ...names });
}

const nobody = { subject: 'ada-1', email: null, first_name: null, last_name: null };
const ada = { subject: 'ada-1', email: 'ada@example.com', first_name: 'Ada', last_name: 'King' };

test.each([
  ['Entra ID and AD FS', [`${CLAIMS}/emailaddress`, `${CLAIMS}/givenname`, `${CLAIMS}/surname`]],
  ['Shibboleth', ['urn:oid:0.9.2342.19200300.100.1.3', 'urn:oid:2.5.4.42', 'urn:oid:2.5.4.4']],
  ['SimpleSAMLphp', ['mail', 'givenName', 'sn']],
  ['Okta', ['email', 'firstName', 'lastName']],
])('attributes are read by the names of %s', (_provider, [email = '', first = '', last = '']) => {
  expect(read({ [email]: ['ada@example.com'], [first]: ['Ada'], [last]: ['King'] })).toEqual(ada);
});

test('attributes that a connection names are read, and the usual ones are not', () => {
  const names = { email: 'contact', first_name: 'given', last_name: 'family' };
  const sent = { contact: ['ada@example.com'], given: ['Ada'], family: ['King'] };

  expect(read({ ...sent, email: ['other@example.com'] }, names)).toEqual(ada);
  expect(read({ email: ['other@example.com'], sn: ['Other'] }, names)).toEqual(nobody);
});

test.each([
  ['is empty', { email: [' '] }],
  ['has several values', { email: ['ada@example.com', 'eve@example.com'] }],
  ['contains elements', { email: ['<b>ada@example.com</b>'] }],
  ['is called almost the same', { Email: ['ada@example.com'] }],
])('an attribute counts as missing if it %s', (_title, values) => {
  expect(read(values)).toEqual(nobody);
});

test('an identifier that is an address replaces a missing attribute, but not one that is named', () => {
  const id = `<NameID Format="${FORMAT}:1.1:nameid-format:emailAddress">ada@example.com</NameID>`;

  expect(read({}, {}, id).email).toBe('ada@example.com');
  expect(read({ email: ['other@example.com'] }, {}, id).email).toBe('other@example.com');
  expect(read({}, { email: 'contact' }, id).email).toBeNull();
});
