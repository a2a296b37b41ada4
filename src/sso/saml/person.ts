import type { ConnectionAttributes } from '../connections/schema.ts';
import { SamlRefused } from './refused.ts';
import { textOf } from './statements.ts';
import { childrenOf, SAML } from './xml.ts';
import type { XmlElement } from './xml.ts';

/** A person as the provider describes them; absent attributes are null. */
export interface SamlPerson {
  subject: string;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
}

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
/** What Entra ID, AD FS, Okta, Google Workspace, Shibboleth and SimpleSAMLphp send. */
const USUAL: Readonly<Record<keyof ConnectionAttributes, readonly string[]>> = {
  email: [`${CLAIMS}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3', 'email', 'mail'],
  first_name: [`${CLAIMS}/givenname`, 'urn:oid:2.5.4.42', 'first_name', 'firstName', 'givenName'],
  last_name: [`${CLAIMS}/surname`, 'urn:oid:2.5.4.4', 'last_name', 'lastName', 'sn'],
};

const FORMAT = 'urn:oasis:names:tc:SAML';
const EMAIL_FORMAT = `${FORMAT}:1.1:nameid-format:emailAddress`;
const TRANSIENT_FORMAT = `${FORMAT}:2.0:nameid-format:transient`;
const MAX_SUBJECT = 255;

/** Reads the person from a verified assertion. */
export function readPerson(assertion: XmlElement, names: ConnectionAttributes): SamlPerson {
  const { subject, format } = readSubject(assertion);
  const read = (field: keyof ConnectionAttributes) => {
    const own = names[field];
    return valueOf(assertion, own === null ? USUAL[field] : [own]);
  };
  return {
    subject,
    email: read('email') ?? (format === EMAIL_FORMAT && names.email === null ? subject : null),
    first_name: read('first_name'),
    last_name: read('last_name'),
  };
}

/** A transient identifier is another one at the next sign-in: nobody could be recognized by it. */
function readSubject(assertion: XmlElement): { subject: string; format: string | null } {
  const ids = childrenOf(assertion, SAML, 'Subject').flatMap((one) =>
    childrenOf(one, SAML, 'NameID'),
  );
  const [id] = ids;
  if (id === undefined || ids.length > 1 || id.children.length > 0)
    throw new SamlRefused('subject');
  const format = id.attributes.get('Format') ?? null;
  const subject = textOf(id);
  const isUsable = subject.length <= MAX_SUBJECT && /^\P{Cc}+$/u.test(subject);
  if (!isUsable || format === TRANSIENT_FORMAT) throw new SamlRefused('subject');
  return { subject, format };
}

/** Returns the value of the first of these attributes that has exactly one, which is not empty. */
function valueOf(assertion: XmlElement, names: readonly string[]): string | null {
  const attributes = childrenOf(assertion, SAML, 'AttributeStatement').flatMap((statement) =>
    childrenOf(statement, SAML, 'Attribute'),
  );
  for (const name of names) {
    const values = attributes
      .filter((attribute) => attribute.attributes.get('Name') === name)
      .flatMap((attribute) => childrenOf(attribute, SAML, 'AttributeValue'));
    const [value] = values;
    if (values.length === 1 && value!.children.length === 0 && textOf(value!) !== '')
      return textOf(value!);
  }
  return null;
}
