import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { bodyForm } from './http-body.ts';
import type { Encoding, HttpTemplate, STYLES, ValueEncoding } from './schema.ts';
import { onlyPlaceholder, parseTemplate, placeholdersOf } from './template.ts';
import { isJsonEncoding } from './value-encoding.ts';

type Location = keyof Encoding;
type Style = (typeof STYLES)[number];

const PAIR_STYLES: readonly Style[] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'];
const STYLES_OF: Readonly<Record<Location, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: PAIR_STYLES,
  headers: ['simple'],
  cookies: ['form'],
  body: PAIR_STYLES,
};

/** Returns the problems of a template's encodings: of values that do not exist, or cannot have it. */
export function encodingProblems(http: HttpTemplate): Problem[] {
  return Object.entries(http.encoding ?? {}).flatMap(([location, encodings]) =>
    Object.entries(encodings ?? {}).flatMap(([name, encoding]) => {
      const message = problemOf(http, location as Location, name, encoding);
      if (message === null) return [];
      const pointer = toJsonPointer(['http', 'encoding', location, name]);
      return [{ code: 'invalid_template', message, detail: { pointer } }];
    }),
  );
}

function problemOf(
  http: HttpTemplate,
  location: Location,
  name: string,
  encoding: ValueEncoding,
): string | null {
  const { style, explode, content_type } = encoding;
  if (style !== undefined && !STYLES_OF[location].includes(style))
    return `The style must be one of ${STYLES_OF[location].join(', ')} here.`;
  if (location === 'cookies' && explode === true) return 'A cookie cannot be exploded.';
  const form = bodyForm(http.headers);
  if (content_type !== undefined && !isJsonEncoding(encoding))
    if (location !== 'body' || form !== 'multipart')
      return 'The content type must be JSON: only parts of a multipart body have other types.';
  if (content_type !== undefined && !/^[\x20-\x7e]*$/.test(content_type))
    return 'The content type must be printable ASCII.';
  if (location === 'body')
    return form === 'form' || form === 'multipart'
      ? null
      : 'Only the fields of a form or of a multipart body have an encoding.';
  if (location === 'path')
    return placeholdersOf(parseTemplate(http.url)).some((placeholder) => placeholder.name === name)
      ? null
      : 'The URL has no placeholder with this name.';
  const texts = http[location] ?? {};
  const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
  return text === undefined || onlyPlaceholder(parseTemplate(text)) === null
    ? 'Must name a value that consists of a single placeholder.'
    : null;
}
