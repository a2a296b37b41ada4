import { createRequire } from 'node:module';

/** What this module uses of the parser; the types it comes with would declare a whole browser. */
interface Parser {
  DOMParser: new (options: { errorHandler: (level: string, message: string) => never }) => {
    parseFromString(xml: string, type: string): DomNode;
  };
}

interface DomNode {
  nodeType: number;
  localName: string;
  namespaceURI: string | null | undefined;
  nodeValue: string;
  childNodes: ArrayLike<DomNode>;
  attributes: ArrayLike<DomNode>;
}

// The parser that node-saml verifies with, so that both read a document the same way.
const require = createRequire(import.meta.url);
const { DOMParser } = require('@xmldom/xmldom') as Parser;

const ELEMENT = 1;
const TEXT = 3;
const CDATA = 4;
const MAX_DEPTH = 40;

/** An element without its comments; `text` is its own, without that of its children. */
export interface XmlElement {
  namespace: string | null;
  name: string;
  /** Of those without a namespace. */
  attributes: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  text: string;
}

/** The text is no XML that we read. */
export class InvalidXml extends Error {}

/**
 * Reads a well-formed document without a DTD, the source of entities and their expansion, and with
 * at most `maxNodes` elements and attributes. Throws `InvalidXml` for anything else; nothing is
 * repaired.
 */
export function readXml(xml: string, maxNodes: number): XmlElement {
  if (/<!(?!--|\[CDATA\[)/.test(xml)) throw new InvalidXml('has a document type');
  if (nodesIn(xml) > maxNodes) throw new InvalidXml('has too many nodes');
  const roots = elementsOf(parse(xml).childNodes);
  if (roots.length !== 1) throw new InvalidXml('must have one root element');
  return toElement(roots[0]!, 1);
}

/** Returns how many elements and attributes a document has at most. */
export const nodesIn = (xml: string): number => xml.split(/<(?!\/)|=/).length;

function parse(xml: string): DomNode {
  try {
    return new DOMParser({
      errorHandler: (_level, message) => {
        throw new InvalidXml(message);
      },
    }).parseFromString(xml, 'text/xml');
  } catch (error) {
    throw new InvalidXml('is not well-formed', { cause: error });
  }
}

const elementsOf = (nodes: ArrayLike<DomNode>) =>
  Array.from(nodes).filter((node) => node.nodeType === ELEMENT);

function toElement(node: DomNode, depth: number): XmlElement {
  if (depth > MAX_DEPTH) throw new InvalidXml('is nested too deeply');
  const nodes = Array.from(node.childNodes);
  return {
    namespace: node.namespaceURI ?? null,
    name: node.localName,
    attributes: new Map(
      Array.from(node.attributes)
        .filter((attribute) => (attribute.namespaceURI ?? null) === null)
        .map((attribute) => [attribute.localName, attribute.nodeValue]),
    ),
    children: elementsOf(node.childNodes).map((child) => toElement(child, depth + 1)),
    text: nodes
      .filter(({ nodeType }) => nodeType === TEXT || nodeType === CDATA)
      .map(({ nodeValue }) => nodeValue)
      .join(''),
  };
}

export const childrenOf = (
  parent: XmlElement,
  namespace: string,
  name: string,
): readonly XmlElement[] =>
  parent.children.filter((child) => child.namespace === namespace && child.name === name);

/** Returns the element and everything below it. */
export const everythingIn = (element: XmlElement): XmlElement[] => [
  element,
  ...element.children.flatMap(everythingIn),
];

export const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const SAML_METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const XML_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
