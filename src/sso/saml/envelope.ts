import { SamlRefused } from './refused.ts';
import {
  childrenOf,
  everythingIn,
  InvalidXml,
  readXml,
  SAML,
  SAMLP,
  XML_SIGNATURE,
} from './xml.ts';
import type { XmlElement } from './xml.ts';

/** A response of a sign-in with many groups has 50 kB. */
const MAX_RESPONSE = 128 * 1_024;
// Verifying takes time that grows with the square of this: half a second for each certificate.
const MAX_NODES = 1_500;

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
// A comment, an instruction or a CDATA section can change what a text seems to say without
// breaking its signature.
const MARKUP = /<!|<\?(?!xml\s)|.<\?xml/s;

const ALGORITHMS: Readonly<Record<string, ReadonlySet<string>>> = {
  SignatureMethod: new Set([
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ]),
  DigestMethod: new Set([
    'http://www.w3.org/2001/04/xmlenc#sha256',
    'http://www.w3.org/2001/04/xmlenc#sha512',
  ]),
  CanonicalizationMethod: new Set(['http://www.w3.org/2001/10/xml-exc-c14n#']),
  Transform: new Set([
    'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
    'http://www.w3.org/2001/10/xml-exc-c14n#',
  ]),
};

/** Decodes the posted field `SAMLResponse`. */
export function decodeResponse(posted: string): string {
  if (posted.length > 2 * MAX_RESPONSE) throw new SamlRefused('malformed');
  const base64 = posted.replaceAll(/\s/g, '');
  if (!BASE64.test(base64)) throw new SamlRefused('malformed');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_RESPONSE) throw new SamlRefused('malformed');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SamlRefused('malformed', error);
  }
}

/** Reads a response before its signature is verified: nothing in it is true yet. */
export function readResponse(xml: string): XmlElement {
  if (MARKUP.test(xml)) throw new SamlRefused('malformed');
  const response = parse(xml);
  if (response.namespace !== SAMLP || response.name !== 'Response')
    throw new SamlRefused('malformed');
  return response;
}

/**
 * Refuses responses whose form leaves room for doubt about what is signed: one assertion, at its
 * place; one element for each id; strong algorithms alone.
 */
export function checkEnvelope(response: XmlElement): void {
  if (!isSuccess(response)) throw new SamlRefused('status');
  const everything = everythingIn(response);
  if (everything.some(({ name }) => name.startsWith('Encrypted')))
    throw new SamlRefused('encrypted');
  const isOne = everything.filter(({ name }) => name === 'Assertion').length === 1;
  if (!isOne || childrenOf(response, SAML, 'Assertion').length !== 1)
    throw new SamlRefused('assertions');
  const ids = everything.flatMap(({ attributes }) =>
    ['ID', 'Id', 'id'].flatMap((name) => attributes.get(name) ?? []),
  );
  if (new Set(ids).size !== ids.length) throw new SamlRefused('signature');
  const isStrong = everything.every(
    ({ namespace, name, attributes }) =>
      namespace !== XML_SIGNATURE ||
      !Object.hasOwn(ALGORITHMS, name) ||
      ALGORITHMS[name]!.has(attributes.get('Algorithm') ?? ''),
  );
  if (!isStrong) throw new SamlRefused('algorithm');
}

function isSuccess(response: XmlElement): boolean {
  const codes = childrenOf(response, SAMLP, 'Status').flatMap((status) =>
    childrenOf(status, SAMLP, 'StatusCode').map(({ attributes }) => attributes.get('Value')),
  );
  return codes.length === 1 && codes[0] === SUCCESS;
}

/** Reads a part of a response that was verified. */
export const readSigned = (xml: string): XmlElement => parse(xml);

function parse(xml: string): XmlElement {
  try {
    return readXml(xml, MAX_NODES);
  } catch (error) {
    if (error instanceof InvalidXml) throw new SamlRefused('malformed', error);
    throw error;
  }
}
