import { malformed } from '../../platform/errors/refusal.ts';
import { CORE_SCHEMA, parseFilter } from './parse.ts';
import type { Filter } from './parse.ts';

/** The path of an operation: an attribute, a filter of its values, and a part of each value. */
export interface Path {
  /** In lower case, with the part of the value: `name.givenname`. */
  attribute: string;
  /** The attribute without the part of the value. */
  root: string;
  filter: Filter | null;
}

const WRITTEN = /^([a-z$][\w$-]*)(?:\[([^]*)\])?(?:\.([a-z$][\w$-]*))?$/i;

/** Parses a path; null for an attribute of an extension. Throws 400 for a malformed path. */
export function parsePath(text: string): Path | null {
  const local = text.replace(CORE_SCHEMA, '');
  if (/^urn:/i.test(local)) return null;
  const [, root, filter, part] = WRITTEN.exec(local) ?? [];
  if (root === undefined) throw invalidPath(text);
  const attribute = part === undefined ? root : `${root}.${part}`;
  return {
    attribute: attribute.toLowerCase(),
    root: root.toLowerCase(),
    filter: filter === undefined ? null : parseFilter(filter),
  };
}

const SHOWN_CHARACTERS = 100;

const invalidPath = (text: string) =>
  malformed('invalid_path', `\`${text.slice(0, SHOWN_CHARACTERS)}\` is not a path.`);
