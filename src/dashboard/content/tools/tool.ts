import type { z } from 'zod';
import { httpAnnotationsOf } from '../../../content/tools/http-annotations.ts';
import type { HttpTemplate, ToolListed, ToolRecord } from '../../../content/tools/schema.ts';

export type ListedTool = z.infer<typeof ToolListed>;
export type Tool = z.infer<typeof ToolRecord>;

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const FORMATS = ['auto', 'json', 'text'] as const;
export const BODY_KINDS = ['none', 'json', 'text'] as const;
export const HINTS = [
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
] as const;
export type Hint = (typeof HINTS)[number];

/** The hints that MCP assumes for the tool of a server that sends none. */
export const ASSUMED: readonly Hint[] = ['destructiveHint', 'openWorldHint'];

/** Returns the hints that the service derives from the method of a request. */
export function hintsOf(method: HttpTemplate['method']): Hint[] {
  const annotations = httpAnnotationsOf({ http: { method }, annotations: {} });
  return HINTS.filter((hint) => annotations[hint]);
}

/** Whether the hints are those of the method, so that they follow it when it changes. */
export const followsMethod = ({ hints, method }: Pick<ToolValues, 'hints' | 'method'>): boolean =>
  isSame(hints, hintsOf(method));

export const isSame = (hints: readonly Hint[], others: readonly Hint[]): boolean =>
  String(hints.toSorted()) === String(others.toSorted());

/** A header, query parameter or cookie; its value may have placeholders. */
export interface Entry {
  name: string;
  value: string;
}

export interface ToolValues extends Record<string, unknown> {
  name: string;
  title: string;
  description: string;
  input_schema: string;
  hints: Hint[];
  method: HttpTemplate['method'];
  url: string;
  query: Entry[];
  headers: Entry[];
  cookies: Entry[];
  body_kind: (typeof BODY_KINDS)[number];
  body: string;
  format: HttpTemplate['response']['format'];
  response_query: string;
  /** Empty while nothing is entered. */
  timeout_ms: number | '';
  encoding: string;
  /** Values to set: those that are stored never leave the service. */
  secrets: Record<string, string>;
}

export const ENTRY_LISTS = ['query', 'headers', 'cookies'] as const;

const SECRET = /\{\{\s*secret\.([A-Za-z_][A-Za-z0-9_-]{0,63})\s*\}\}/g;

/** Returns the names of the secrets that the request of the form uses. */
export function usedSecrets({ url, query, headers, cookies, body }: ToolValues): string[] {
  const entries = [...query, ...headers, ...cookies].map(({ value }) => value);
  const texts = [url, body, ...entries].join('\n');
  return [...new Set([...texts.matchAll(SECRET)].map(([, name]) => name!))].toSorted();
}
