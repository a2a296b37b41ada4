import { z } from 'zod';
import type { Actor, Authority } from '../caller/actor.ts';
import { parseFilter } from './filter/parse.ts';
import type { Filter } from './filter/parse.ts';
import { invalidValue, isObject, PatchBody } from './operations.ts';
import type { Directory } from './tokens/authenticate.ts';

/** A request of a directory, whose organization may be provisioned. */
export interface ScimRequest {
  directory: Directory;
  actor: Actor;
  /** URL of the organization's resources, without a slash at the end. */
  base: string;
  /** What the path names; null if it names nothing. */
  name: string | null;
  /** The same in lower case if it is a UUID; null if not. */
  id: string | null;
  query: unknown;
  body: unknown;
  /** Returns the request as it is allowed now: after a change that wrote the organization's scope. */
  refreshed(): Promise<ScimRequest>;
}

export interface ScimResponse {
  status: number;
  body?: object;
  location?: string;
}

/** One endpoint below `/scim/v2/{organization_id}`. */
export interface ScimRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  handle(request: ScimRequest): Promise<ScimResponse> | ScimResponse;
}

/** Returns the authority of a request: the token, while its organization stays as it was read. */
export const authorityOf = ({ actor, directory }: ScimRequest): Authority => ({
  actor,
  basis: [directory.scope],
});

export const MAX_RESULTS = 200;
const DEFAULT_RESULTS = 100;
const FIRST = 1;

const Text = z.string().max(2_000).optional();
const Query = z.object({
  startIndex: Text,
  count: Text,
  filter: Text,
  attributes: Text,
  excludedAttributes: Text,
});

/** Which attributes a response has; both lists are in lower case. */
export interface Selection {
  only: readonly string[] | null;
  without: readonly string[];
}

export interface ListQuery {
  filter: Filter | null;
  /** Counted from one. */
  start: number;
  limit: number;
  selection: Selection;
}

/** Reads the query of a list; throws 400. */
export function readListQuery(sent: unknown): ListQuery {
  const { startIndex, count, filter } = readQuery(sent);
  return {
    filter: filter === undefined || filter.trim() === '' ? null : parseFilter(filter),
    start: Math.max(FIRST, readInteger('startIndex', startIndex) ?? FIRST),
    limit: Math.min(MAX_RESULTS, Math.max(0, readInteger('count', count) ?? DEFAULT_RESULTS)),
    selection: readSelection(sent),
  };
}

export function readSelection(sent: unknown): Selection {
  const { attributes, excludedAttributes } = readQuery(sent);
  const namesIn = (list: string) =>
    list
      .toLowerCase()
      .split(',')
      .map((name) => name.trim().replace(/^urn:[^,]*:/, ''))
      .filter((name) => name !== '');
  return {
    only: attributes === undefined ? null : namesIn(attributes),
    without: namesIn(excludedAttributes ?? ''),
  };
}

function readQuery(sent: unknown): z.infer<typeof Query> {
  const parsed = Query.safeParse(sent);
  if (!parsed.success) throw invalidValue('The query', 'parameters that are each sent once');
  return parsed.data;
}

function readInteger(name: string, text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  if (!/^[+-]?\d{1,9}$/.test(text)) throw invalidValue(name, 'a whole number');
  return Number(text);
}

/** Returns a body that is an object; throws 400 for any other. */
export function bodyOf({ body }: ScimRequest): Readonly<Record<string, unknown>> {
  if (!isObject(body)) throw invalidValue('The body', 'an object');
  return body;
}

/** Returns the body of a PATCH; throws 400 if it is malformed. */
export function patchOf({ body }: ScimRequest): PatchBody {
  const parsed = PatchBody.safeParse(body);
  if (!parsed.success) throw invalidValue('Operations', 'a list of at most 100 operations');
  return parsed.data;
}
