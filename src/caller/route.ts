import type { z } from 'zod';
import type { Access, InteractiveAccess, ObjectAccess } from './access.ts';
import type { PersonalPrincipal, Principal, SessionPrincipal } from './principal.ts';

export interface RequestFacts {
  id: string;
  /** Client address behind trusted proxies; IPv4 or IPv6 text. */
  address: string;
  user_agent: string | null;
  cookies: Readonly<Record<string, string | undefined>>;
  /** The header of optimistic concurrency, unparsed. */
  if_match: string | null;
  accept_language: string | null;
}

export interface Cookie {
  name: string;
  value: string;
  path: string;
  same_site: 'lax' | 'strict';
  /** Seconds; 0 removes it. */
  max_age: number;
}

export interface Reply<Status extends number = number, Body = unknown> {
  status: Status;
  body: Body;
  /** JSON too long to be held, instead of a body: each piece is asked for when it can be sent. */
  pieces?: AsyncIterable<string>;
  cookies?: readonly Cookie[];
  headers?: Readonly<Record<string, string>>;
}

export interface RouteInput<Body, Params, Query, Asker> {
  caller: Asker;
  body: Body;
  params: Params;
  query: Query;
  request: RequestFacts;
  /** Called last in a transaction: throws once the request was answered 503 (`undone_late`). */
  beforeCommit(): void;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;
type Who<A extends Access> = A extends 'public'
  ? null
  : A extends InteractiveAccess
    ? SessionPrincipal
    : A extends ObjectAccess & { on: 'account' }
      ? PersonalPrincipal
      : Principal;

/** Shape of each success by its status; null is an empty body. */
type Responses = Readonly<Record<number, z.ZodType | null>>;
/** A reply with one of the declared statuses and the body declared for it. */
type ReplyOf<Declared extends Responses> = {
  [Status in keyof Declared & number]: Declared[Status] extends z.ZodType
    ? Reply<Status, Sent<z.input<Declared[Status]>>> | InPieces<Status>
    : Reply<Status, undefined>;
}[keyof Declared & number];
type InPieces<Status extends number> = Reply<Status, undefined> & {
  pieces: AsyncIterable<string>;
};
/** A body is only read, and what has members of any name may be any object. */
type Sent<Body> = unknown extends Body
  ? unknown
  : Body extends readonly (infer Entry)[]
    ? readonly Sent<Entry>[]
    : Body extends object
      ? string extends keyof Body
        ? object
        : { readonly [Name in keyof Body]: Sent<Body[Name]> }
      : Body;

/** Method, path, access, schemas, and a handler of one call. */
export interface RouteDefinition<
  A extends Access = Access,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Declared extends Responses = Responses,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute, with `{name}` for parameters, as the reference shows it: `/api/keys/{id}`. */
  path: string;
  access: A;
  summary: string;
  /** Group of the reference: Keys, Account… */
  tag: string;
  body?: Body;
  /** How deep a body may be nested where the gate’s own limit is too little. */
  body_levels?: number;
  params?: Params;
  query?: Query;
  /** Throws 404 if the path names nothing of the caller's: asked before a 403, so that it comes first. */
  object?(input: { caller: Who<A>; params: Parsed<Params> }): Promise<unknown>;
  /** Also the reference's. */
  responses: Declared;
  /**
   * Milliseconds until its answer begins, where the 10 s of every request (reliability.md 1.2) are
   * too few. Neither the arrival of a body nor the rest of a long answer counts.
   */
  within_ms?: number | undefined;
  /** Its handler calls `beforeCommit`, so that 503 at the deadline means nothing was saved. */
  undone_late?: boolean;
  /** Answers `Cache-Control: no-store` anyway; set where a browser's CSRF rule always applies. */
  browser_only?: boolean;
  handle(
    input: RouteInput<Parsed<Body>, Parsed<Params>, Parsed<Query>, Who<A>>,
  ): Promise<ReplyOf<Declared>> | ReplyOf<Declared>;
}

/** A route as the gateway registers it: the types of its own schemas are checked where it is made. */
export type Route = Omit<RouteDefinition, 'handle' | 'object'> & {
  object?(input: { caller: Principal | null; params: unknown }): Promise<unknown>;
  handle(input: RouteInput<unknown, unknown, unknown, Principal | null>): Promise<Reply> | Reply;
};

export function defineRoute<
  const A extends Access,
  Body extends z.ZodType | undefined = undefined,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  const Declared extends Responses = Responses,
>(definition: RouteDefinition<A, Body, Params, Query, Declared>): Route {
  return definition;
}

export const ok = <Body>(body: Body): Reply<200, Body> => ({ status: 200, body });
/** For bodies put together by names known at run time: no type of theirs fits a schema. */
export const okUntyped = (body: object): Reply<200, never> => ok(body as never);
export const accepted = <Body>(body: Body): Reply<202, Body> => ({ status: 202, body });
export const created = <Body>(body: Body): Reply<201, Body> => ({ status: 201, body });
/** To another page, which the browser asks for by GET. */
export const redirect = (location: string): Reply<302, undefined> => ({
  status: 302,
  body: undefined,
  headers: { location },
});
export const noContent = (): Reply<204, undefined> => ({ status: 204, body: undefined });
