import { toJsonPointer } from '../../../platform/json/json-pointer.ts';
import { STYLES } from '../schema.ts';
import type { ValueEncoding } from '../schema.ts';
import { isRecord } from '../schema-walk.ts';
import { charge, resolveRef, listOf, recordOf, textOf, UnsupportedOperation } from './document.ts';
import type { OpenApiDocument, Operation } from './document.ts';
import { fileSchema } from './schemas.ts';
import type { WriteOptions } from './schemas.ts';
import { branchesOf, isBinary, shapeOf } from './shapes.ts';

/** The body of an operation as its tool sends it. */
export interface Body {
  type: string;
  isRequired: boolean;
  schema: unknown;
  encoding: Record<string, ValueEncoding>;
}

type Write = (schema: unknown, options?: WriteOptions) => unknown;
type Media = Readonly<Record<string, unknown>>;
interface Candidate {
  type: string;
  media: Media;
}

const JSON_TYPE = /^[^/]+\/(?:[\w.+-]+\+)?json\b/i;
const FORM = /^application\/x-www-form-urlencoded\b/i;
const MULTIPART = /^multipart\/form-data\b/i;
const ANY = /^(?:\*|application)\/\*/;

/**
 * Returns the body of an operation in the first of its media types that a template can send: JSON,
 * a form, multipart, text, a file. Throws `UnsupportedOperation` if there is none.
 */
export function bodyOf(source: Operation, write: Write): Body | null {
  const { document, operation, pathPointer, key } = source;
  if (operation['requestBody'] === undefined) return null;
  const body = resolveRef(document, operation['requestBody']);
  const isRequired = body['required'] === true;
  const candidates = Object.entries(recordOf(body['content'])).map(([type, media]) => ({
    type,
    media: recordOf(media),
  }));
  const pointer = `${pathPointer}${toJsonPointer([key])}/requestBody/content`;
  const found =
    jsonBody(document, candidates, write) ??
    formBody(source, { candidates, pointer, write }) ??
    plainBody(document, candidates, write);
  if (found !== null) return { isRequired, encoding: {}, ...found };
  const types = candidates.map(({ type }) => type.slice(0, 80)).join(', ') || 'none';
  throw new UnsupportedOperation(
    'unsupported_body',
    `The body must be JSON, a form, multipart/form-data, text or a file, but it is: ${types.slice(0, 300)}.`,
  );
}

/** Prefers plain JSON, then a merge patch, which is an object as its schema usually says. */
const JSON_TYPES = [/^application\/json\b/i, /^application\/merge-patch\+json\b/i, JSON_TYPE, ANY];

function jsonBody(document: OpenApiDocument, candidates: readonly Candidate[], write: Write) {
  const found = JSON_TYPES.map((form) => candidates.find(({ type }) => form.test(type))).find(
    Boolean,
  );
  if (found === undefined) return null;
  const { type, media } = found;
  if (ANY.test(type) && isBinary(document, media['schema'])) return null;
  return { type: ANY.test(type) ? 'application/json' : type, schema: write(media['schema']) };
}

interface FormSource {
  candidates: readonly Candidate[];
  pointer: string;
  write: Write;
}

function formBody(source: Operation, { candidates, pointer, write }: FormSource) {
  const found = [FORM, MULTIPART]
    .map((form) => candidates.find(({ type }) => form.test(type)))
    .find(Boolean);
  if (found === undefined) return null;
  const { type, media } = found;
  const isMultipart = MULTIPART.test(type);
  const encoding: Record<string, ValueEncoding> = {};
  const without = new Set<string>();
  const schema = media['schema'] ?? {};
  for (const [field, value] of Object.entries(recordOf(media['encoding']))) {
    const place = `${pointer}${toJsonPointer([type, 'encoding', field])}`;
    const own = fieldEncoding(source.document, recordOf(value), {
      schema: propertyOf(source.document, schema, field),
      isMultipart,
    });
    if (own === null) {
      if (isRequiredIn(source.document, schema, field))
        throw new UnsupportedOperation(
          'unsupported_body',
          `The field ${field.slice(0, 80)} of the body is required but not supported.`,
        );
      without.add(field);
      source.warn(
        'unsupported_body',
        `The field ${field.slice(0, 80)} of the body is not supported, and left out.`,
        place,
      );
    } else if (Object.keys(own).length > 0) encoding[field] = own;
    if (isMultipart && Object.keys(recordOf(recordOf(value)['headers'])).length > 0)
      source.warn(
        'unsupported_body',
        `The headers of the part ${field.slice(0, 80)} are left out.`,
        `${place}/headers`,
      );
  }
  const written = write(schema, { without, files: isMultipart });
  const fields = isRecord(written) ? written : {};
  return {
    type: isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded',
    schema: fields['type'] === undefined ? { type: 'object', ...fields } : fields,
    encoding,
  };
}

/** Returns the encoding of a field; null if a template cannot express it. */
function fieldEncoding(
  document: OpenApiDocument,
  { style: declared, explode, contentType }: Media,
  { schema, isMultipart }: { schema: unknown; isMultipart: boolean },
): ValueEncoding | null {
  const shape = shapeOf(document, schema);
  const isNested = shape.array === 'nested' || shape.object === 'nested';
  const isPlain = shape.array === 'none' && shape.object === 'none';
  if (declared !== undefined || typeof explode === 'boolean') {
    const style = STYLES.find((known) => known === (declared ?? 'form'));
    if (style === undefined || ['simple', 'label', 'matrix'].includes(style)) return null;
    if (style === 'deepObject') return { style };
    if (isNested) return null;
    return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' };
  }
  const type = textOf(contentType);
  if (type === '') return {};
  const isJson = JSON_TYPE.test(type);
  // An object of another type, such as XML, would have to be written in it.
  if (!isJson && shape.object !== 'none' && !isBinary(document, schema)) return null;
  if (!/^[\x20-\x7e]{1,200}$/.test(type)) return null;
  if (isMultipart) return { content_type: type };
  return isJson && !isPlain ? { content_type: 'application/json' } : {};
}

/** Returns the schema of a property, in whichever branch declares it. */
function propertyOf(document: OpenApiDocument, schema: unknown, name: string): unknown {
  for (const { properties } of branchesOf(document, schema))
    if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name];
  return undefined;
}

const isRequiredIn = (document: OpenApiDocument, schema: unknown, name: string) =>
  [...branchesOf(document, schema)].some(({ required }) => {
    charge(document, listOf(required).length);
    return listOf(required).includes(name);
  });

/** Returns a body of text or of a file's bytes. */
function plainBody(document: OpenApiDocument, candidates: readonly Candidate[], write: Write) {
  const text = candidates.find(({ type, media }) => isText(document, type, media['schema']));
  if (text !== undefined)
    return {
      type: text.type,
      schema: { ...recordOf(write(text.media['schema'])), type: 'string' },
    };
  const files = candidates.filter(({ type, media }) => isFile(document, type, media['schema']));
  const [first] = files;
  if (first === undefined) return null;
  const types = files.filter(({ type }) => !type.includes('*')).map(({ type }) => type);
  const hasRange = types.length < files.length;
  const { properties, required, ...schema } = fileSchema(
    recordOf(first.media['schema'])['description'],
    hasRange ? { type: 'string' } : { type: 'string', enum: types },
  );
  const { base64, media_type } = properties;
  return {
    type: types[0] ?? OCTETS,
    schema: {
      ...schema,
      // A single declared type leaves no choice.
      properties: { base64, ...(hasRange || types.length > 1 ? { media_type } : {}) },
      required: [...required, ...(types.length === 0 ? ['media_type'] : [])],
    },
  };
}

const OCTETS = 'application/octet-stream';
const XML = /^[^/]+\/(?:.+\+)?xml\b/i;

/** Whether a body is text: of a text type, or a string of any other type. */
function isText(document: OpenApiDocument, type: string, schema: unknown): boolean {
  if (type.includes('*') && !/^text\//i.test(type)) return false;
  if (isBinary(document, schema)) return false;
  const isString =
    [recordOf(schema)['type']].flat().includes('string') || hasStringType(document, schema);
  if (isString)
    return (
      /^[^/]+\/[^/*]+$/.test(type) &&
      !/^(?:image|audio|video|font)\//i.test(type) &&
      type !== OCTETS
    );
  return /^text\/(?!xml\b)[^*]/i.test(type) && isPlainShape(document, schema);
}

const hasStringType = (document: OpenApiDocument, schema: unknown) =>
  isRecord(schema) && [resolveRef(document, schema)['type']].flat().includes('string');

function isPlainShape(document: OpenApiDocument, schema: unknown): boolean {
  const { array, object } = shapeOf(document, schema);
  return array === 'none' && object === 'none';
}

/** Whether a body is bytes that a caller can have as a file. */
function isFile(document: OpenApiDocument, type: string, schema: unknown): boolean {
  if (/^multipart\//i.test(type)) return false;
  if (isBinary(document, schema)) return true;
  if (XML.test(type) || /^text\//i.test(type) || /yaml|msgpack|protobuf|cbor/i.test(type))
    return false;
  return isPlainShape(document, schema);
}
