import { toJsonPointer } from '../../../platform/json/json-pointer.ts';
import { FORBIDDEN_HEADERS } from '../../../platform/outbound/outbound.ts';
import { STYLES } from '../schema.ts';
import type { Encoding, ValueEncoding } from '../schema.ts';
import { isRecord } from '../schema-walk.ts';
import {
  resolveRef,
  listOf,
  plainText,
  recordOf,
  textOf,
  UnsupportedOperation,
} from './document.ts';
import type { Operation } from './document.ts';
import { shapeOf } from './shapes.ts';
import type { Shape } from './shapes.ts';

const LOCATIONS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;
type Location = keyof typeof LOCATIONS;

/** A parameter that a tool can send. */
export interface Parameter {
  name: string;
  location: (typeof LOCATIONS)[Location];
  schema: unknown;
  isRequired: boolean;
  description: unknown;
  /** Undefined for plain values, and for arrays that repeat their query parameter. */
  encoding: ValueEncoding | undefined;
}

/** Headers that OpenAPI ignores as parameters: the content type and the security set them. */
const IGNORED_HEADERS = new Set(['accept', 'authorization', 'content-type']);

/**
 * Returns the parameters of an operation that its tool can send; `isSet` names those that a
 * credential sets. Throws `UnsupportedOperation` if a required one is not among them, and warns of
 * an optional one.
 */
export function parametersOf(
  source: Operation,
  isSet: (location: keyof Encoding, name: string) => boolean,
): Parameter[] {
  return [...declaredIn(source).values()].flatMap(({ parameter, pointer }) => {
    const { name, in: location, required } = parameter;
    const label = `${textOf(location) || 'unknown'} parameter ${textOf(name).slice(0, 80)}`;
    const place = Object.hasOwn(LOCATIONS, textOf(location))
      ? LOCATIONS[location as Location]
      : null;
    if (place !== null && isSet(place, textOf(name))) return [];
    if (location === 'header' && IGNORED_HEADERS.has(textOf(name).toLowerCase())) {
      source.warn(
        'unsupported_parameter',
        `The ${label} is left out: OpenAPI ignores this header as a parameter.`,
        pointer,
      );
      return [];
    }
    const isRequired = location === 'path' || required === true;
    const found = typeof name === 'string' && place !== null ? sendable(parameter, source) : null;
    if (found !== null && typeof name === 'string' && place !== null)
      return [
        { name, location: place, isRequired, description: parameter['description'], ...found },
      ];
    if (isRequired)
      throw new UnsupportedOperation(
        'unsupported_parameter',
        `The ${label} is required but not supported.`,
      );
    source.warn('unsupported_parameter', `The ${label} is not supported, and left out.`, pointer);
    return [];
  });
}

/** Returns an operation's parameters, and those of its path that it does not override. */
function declaredIn({ document, path, operation, pathPointer, key }: Operation) {
  const lists = [
    { list: path['parameters'], pointer: pathPointer },
    { list: operation['parameters'], pointer: `${pathPointer}${toJsonPointer([key])}` },
  ];
  const byName = new Map<
    string,
    { parameter: Readonly<Record<string, unknown>>; pointer: string }
  >();
  for (const { list, pointer } of lists)
    for (const [index, value] of listOf(list).entries()) {
      const parameter = resolveRef(document, value);
      const { in: location, name } = parameter;
      byName.set(`${textOf(location)} ${textOf(name)}`, {
        parameter,
        pointer: `${pointer}/parameters/${index}`,
      });
    }
  return byName;
}

/** Returns the schema and encoding of a parameter; null if a template cannot express it. */
function sendable(
  parameter: Readonly<Record<string, unknown>>,
  { document }: Operation,
): Pick<Parameter, 'schema' | 'encoding'> | null {
  const { name, in: location, schema, content } = parameter;
  // As a key, this name would set the prototype instead.
  if (name === '__proto__') return null;
  if (location === 'header' && FORBIDDEN_HEADERS.has(textOf(name).toLowerCase())) return null;
  if (schema === undefined) return contentOf(content);
  const shape = shapeOf(document, schema);
  const encoding = encodingOf(location as Location, parameter, shape);
  return encoding === null ? null : { schema, encoding };
}

/** A parameter with `content` is a text of that media type. */
function contentOf(content: unknown): Pick<Parameter, 'schema' | 'encoding'> | null {
  const [type, media] = Object.entries(recordOf(content))[0] ?? ['', {}];
  const schema = recordOf(media)['schema'] ?? {};
  if (/^[^/]+\/(?:.+\+)?json\b/i.test(type))
    return { schema, encoding: { content_type: 'application/json' } };
  return /^text\/plain\b/i.test(type) ? { schema: { type: 'string' }, encoding: undefined } : null;
}

const DEFAULT_STYLES = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;

/** Returns the encoding for a style; undefined if none is needed, null if there is none. */
function encodingOf(
  location: Location,
  { name, style: declared, explode: isExploded }: Readonly<Record<string, unknown>>,
  shape: Shape,
): ValueEncoding | undefined | null {
  const style = STYLES.find((known) => known === (declared ?? DEFAULT_STYLES[location]));
  if (style === undefined) return null;
  const explode = typeof isExploded === 'boolean' ? isExploded : style === 'form';
  const isPlain = shape.array === 'none' && shape.object === 'none';
  if (!fits(location, style, { shape, explode, isPlain })) return null;
  if (style === 'deepObject') return { style };
  if (isPlain && (style === 'simple' || location !== 'path')) return undefined;
  if (location === 'query' && style === 'form' && explode && shape.object === 'none')
    return undefined;
  return { style, explode, ...(style === 'matrix' ? { name: textOf(name) } : {}) };
}

interface Fit {
  shape: Shape;
  explode: boolean;
  isPlain: boolean;
}

function fits(
  location: Location,
  style: (typeof STYLES)[number],
  { shape, explode, isPlain }: Fit,
): boolean {
  const isNested = shape.array === 'nested' || shape.object === 'nested';
  if (style === 'deepObject') return location === 'query';
  if (isNested) return false;
  if (location === 'path') return style === 'simple' || style === 'label' || style === 'matrix';
  if (location === 'header') return style === 'simple';
  // Several cookies with one name have no defined order or meaning.
  if (location === 'cookie') return style === 'form' && (isPlain || !explode);
  return style === 'form' || style === 'spaceDelimited' || style === 'pipeDelimited';
}

/** Adds a parameter's description to its schema. */
export function withDescription(schema: unknown, description: unknown): unknown {
  const text = plainText(description, 300);
  return text === '' || !isRecord(schema) ? schema : { ...schema, description: text };
}
