import { SamlRefused } from './refused.ts';
import type { SamlReason } from './refused.ts';
import { childrenOf, SAML } from './xml.ts';
import type { XmlElement } from './xml.ts';

/** What a response must say. */
export interface Expected {
  /** Entity ID of the provider. */
  issuer: string;
  /** Our entity ID. */
  audience: string;
  acs_url: string;
  request_id: string;
  /** Of the database. */
  now: Date;
}

/** How far the clock of a provider may be off. */
const SKEW_MS = 30_000;
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** Checks the response around the assertion. It may be unsigned, so it only ever refuses. */
export function checkResponse(
  response: XmlElement,
  { issuer, acs_url, request_id }: Expected,
  isSigned: boolean,
): void {
  const [named, ...more] = childrenOf(response, SAML, 'Issuer');
  require(more.length === 0 && (named === undefined || textOf(named) === issuer), 'issuer');
  const destination = response.attributes.get('Destination');
  // A signed response always says where it goes (SAML bindings 3.5.5.2).
  require(destination === acs_url || (destination === undefined && !isSigned), 'destination');
  require(response.attributes.get('InResponseTo') === request_id, 'request');
}

/** Checks what a verified assertion states, and returns until when it can be used. */
export function checkStatements(assertion: XmlElement, expected: Expected): Date {
  require(textOf(only(assertion, 'Issuer', 'issuer')) === expected.issuer, 'issuer');
  const conditions = only(assertion, 'Conditions', 'audience');
  const audiences = childrenOf(conditions, SAML, 'AudienceRestriction');
  require(audiences.length > 0 && audiences.every((one) => names(one, expected)), 'audience');
  checkTimes(conditions, expected.now);
  require(childrenOf(assertion, SAML, 'AuthnStatement').length > 0, 'subject');
  const subject = only(assertion, 'Subject', 'subject');
  return checkConfirmation(subject, expected);
}

const names = (restriction: XmlElement, { audience }: Expected) =>
  childrenOf(restriction, SAML, 'Audience').some((one) => textOf(one) === audience);

/**
 * Checks that the assertion was issued to us, at our request. `InResponseTo` of the response need
 * not be signed; this one is.
 */
function checkConfirmation(subject: XmlElement, expected: Expected): Date {
  const confirmations = childrenOf(subject, SAML, 'SubjectConfirmation').filter(
    ({ attributes }) => attributes.get('Method') === BEARER,
  );
  require(confirmations.length === 1, 'recipient');
  const data = only(confirmations[0]!, 'SubjectConfirmationData', 'recipient');
  require(data.attributes.get('Recipient') === expected.acs_url, 'recipient');
  require(data.attributes.get('InResponseTo') === expected.request_id, 'request');
  const until = checkTimes(data, expected.now);
  if (until === null) throw new SamlRefused('expired');
  return until;
}

/** Returns until when the element is valid, with the skew; null if it does not say. */
function checkTimes({ attributes }: XmlElement, now: Date): Date | null {
  const from = timeOf(attributes.get('NotBefore'), 'not_yet_valid');
  const until = timeOf(attributes.get('NotOnOrAfter'), 'expired');
  if (from !== null) require(now.getTime() + SKEW_MS >= from, 'not_yet_valid');
  if (until === null) return null;
  require(now.getTime() - SKEW_MS < until, 'expired');
  return new Date(until + SKEW_MS);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

function timeOf(text: string | undefined, reason: SamlReason): number | null {
  if (text === undefined) return null;
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  require(!Number.isNaN(time), reason);
  return time;
}

function only(parent: XmlElement, name: string, reason: SamlReason): XmlElement {
  const [first, ...more] = childrenOf(parent, SAML, name);
  if (first === undefined || more.length > 0) throw new SamlRefused(reason);
  return first;
}

export const textOf = ({ text }: XmlElement): string => text.trim();

function require(isMet: boolean, reason: SamlReason): void {
  if (!isMet) throw new SamlRefused(reason);
}
