import type { z } from 'zod';
import type { Access, InteractiveAccess, ObjectAccess } from './access.ts';
import type { RouteErrors } from './route-errors.ts';
import type { ServerEvent } from './events.ts';
import type { Once } from './once.ts';
import type { PersonalPrincipal, Principal, SessionPrincipal } from './principal.ts';
import type { Confirm, Progress } from './progress.ts';
import type { Table } from './table.ts';

export interface RequestFacts {
  id: string;
  /** Client address, seen through trusted proxies; IPv4 or IPv6 text. */
  address: string;
  user_agent: string | null;
  cookies: Readonly<Record<string, string | undefined>>;
  /** The If-Match header for optimistic concurrency, unparsed. */
  if_match: string | null;
  accept_language: string | null;
  /** Whether a browser came here from anything but a page of the service or its dashboard. */
  from_elsewhere: boolean;
  /** Runs what a creating route creates, so that the request can be repeated. */
  once: Once;
  /** Part of the authority of changes that a job makes. */
  confirm?: Confirm;
}

/** The hash that reauthentication used; a change compares it again in its own transaction. */
export interface Reauthentication {
  /** Null if the account has no password. */
  password_hash: string | null;
}

export interface Cookie {
  name: string;
  value: string;
  path: string;
  same_site: 'lax' | 'strict';
  /** In seconds; 0 deletes the cookie. */
  max_age: number;
}

export interface Reply<Status extends number = number, Body = unknown> {
  status: Status;
  body: Body;
  /** Replaces a `body` too large for memory; each piece is pulled when it can be sent. */
  pieces?: AsyncIterable<string>;
  /** Replaces a `body` by a stream of events; it must do nothing more once it has ended. */
  events?(ended: AbortSignal): AsyncIterable<ServerEvent>;
  /** Media type of the pieces; JSON by default. */
  content_type?: string;
  cookies?: readonly Cookie[];
  headers?: Readonly<Record<string, string>>;
}

/** Identifies an earlier request: its operation, and the parameters of its path. */
export interface NamedRequest {
  operation_id: string;
  params: object;
}

/** Another request that a handler makes for the sender of its own. */
export interface SentRequest extends NamedRequest {
  body?: object;
}

/** Makes another request for a sender; returns the body of its response. */
export type SendRequest = (request: SentRequest) => Promise<unknown>;

export interface RouteInput<Body, Params, Query, Caller, Proof = unknown> {
  caller: Caller;
  body: Body;
  params: Params;
  query: Query;
  request: RequestFacts;
  /** The proof that `reauthentication: 'first'` required; null on all other routes. */
  reauthentication: Proof;
  /** Call last in a transaction: throws if 503 has already been sent (see `rolls_back_late`). */
  beforeCommit(): void;
  /** Used by the handler of a route with `job`; does nothing unless its request runs as a job. */
  progress: Progress;
  /**
   * Identifies and authorizes the sender again. For work of several changes, of which a later one
   * threw `ConcurrentUpdate`: the whole work must not be repeated.
   */
  authorizeAgain(): Promise<Caller>;
  /** Returns whether the sender may make the request now. Throws 401 if the credential has ended. */
  mayRequest(request: NamedRequest): Promise<boolean>;
  /**
   * Makes another request as if the sender had sent it: it is authorized, recorded and handled by its
   * own route, and throws what that throws.
   */
  send: SendRequest;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;
type CallerOf<A extends Access> = A extends 'public'
  ? null
  : A extends InteractiveAccess
    ? SessionPrincipal
    : A extends ObjectAccess & { on: 'account' }
      ? PersonalPrincipal
      : Principal;

/**
 * When a route requires reauthentication: before its handler, and so before the state of any object
 * decides, or by the handler itself, after errors 400 of its own.
 */
type ReauthenticationRule = 'first' | 'by_handler';
type ProofOf<Rule> = Rule extends 'first' ? Reauthentication : null;

/** Schema of each success response by status; null for an empty body. */
type Responses = Readonly<Record<number, z.ZodType | null>>;
/** A reply with one of the declared statuses and its declared body. */
type ReplyOf<Declared extends Responses> = {
  [Status in keyof Declared & number]: Declared[Status] extends z.ZodType
    ? Reply<Status, SendableBody<z.input<Declared[Status]>>> | LongReply<Status>
    : Reply<Status, undefined>;
}[keyof Declared & number];
type LongReply<Status extends number> = Reply<Status, undefined> &
  ({ pieces: AsyncIterable<string> } | Required<Pick<Reply, 'events'>>);
/** Accepts read-only bodies, and any object for a body with arbitrary keys. */
type SendableBody<Body> = unknown extends Body
  ? unknown
  : Body extends readonly (infer Entry)[]
    ? readonly SendableBody<Entry>[]
    : Body extends object
      ? string extends keyof Body
        ? object
        : { readonly [Name in keyof Body]: SendableBody<Body[Name]> }
      : Body;

/** Method, path, access rule, schemas and handler of one route. */
export interface RouteDefinition<
  A extends Access = Access,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Declared extends Responses = Responses,
  Rule extends ReauthenticationRule | undefined = ReauthenticationRule | undefined,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute, with `{name}` for parameters, as in the API reference: `/api/keys/{key_id}`. */
  path: string;
  access: A;
  /**
   * The person must reauthenticate with `current_password` of the body; only on routes for sessions.
   * For what decides who may sign in, where e-mails go, who is the Owner, or what cannot be undone.
   */
  reauthentication?: Rule | undefined;
  /** Name of the operation in generated clients, verb first: `createApiKey`. It never changes. */
  operation_id: string;
  /** Title in the API reference: an imperative of three to six words, without behavior. */
  summary: string;
  /**
   * Facts beyond the title that a caller needs: effects, limits, secrets shown only once, and what
   * stops working. One to three plain sentences, each ending in a period.
   */
  description?: string | undefined;
  /** Group in the API reference: Keys, Account… */
  tag: string;
  body?: Body;
  /**
   * The body is a form that a page of another site posts, of at most this many bytes. Browsers send
   * no cookies with it, so the handler must not depend on any.
   */
  form_bytes?: number;
  /** Maximum nesting of the body, if the default limit is too low. */
  body_levels?: number;
  params?: Params;
  query?: Query;
  /** An identity provider sends the browser here, with parameters that others may add to. */
  is_callback?: boolean;
  /**
   * Throws 404 if the caller does not have the object that the path names; called before the check
   * that throws 403.
   */
  object?(input: { caller: CallerOf<A>; params: Parsed<Params> }): Promise<unknown>;
  /** Also shown in the API reference. */
  responses: Declared;
  /** The list of the response as a file: CSV, or JSON lines. */
  table?: Table<CallerOf<A>, Parsed<Params>, Parsed<Query>>;
  /**
   * Always replies with `pieces` or `events`. Like files of a table, such replies are limited in
   * number, and their sender is checked while they are sent.
   */
  long_reply?: 'file' | 'events';
  /**
   * May take more than two seconds: with `Prefer: respond-async`, the request runs as a job. The
   * handler reports its progress, and its response contains no secrets.
   */
  job?: true;
  /**
   * Fields of the response that contain secrets: a request that is repeated with its
   * `Idempotency-Key` gets them for an hour only.
   */
  shown_once?: readonly string[];
  /** Successful responses carry the version of their body as an `ETag`. */
  sends_etag?: boolean;
  /**
   * Errors specific to this route, also shown in the API reference; common errors are derived from
   * the other fields.
   */
  errors?: RouteErrors | readonly RouteErrors[];
  /**
   * Milliseconds until the response must begin, if the default of 10 s (reliability.md 1.2) is too
   * short. Receiving the body and sending the rest of a long response do not count.
   */
  within_ms?: number | undefined;
  /** It only reads, although it is no GET: a preview. It waits for no changes. */
  saves_nothing?: true;
  /** The handler calls `beforeCommit`, so that 503 at the deadline means nothing was saved. */
  rolls_back_late?: boolean;
  /** Always applies the CSRF check for browsers, with or without a session cookie. */
  browser_only?: boolean;
  handle(
    input: RouteInput<Parsed<Body>, Parsed<Params>, Parsed<Query>, CallerOf<A>, ProofOf<Rule>>,
  ): Promise<ReplyOf<Declared>> | ReplyOf<Declared>;
}

/** A route as registered by the gateway; `defineRoute` checks the types of its own schemas. */
export type Route = Omit<RouteDefinition, 'handle' | 'object' | 'table'> & {
  table?: Omit<Table<never, never, never>, 'pages'> & {
    pages(input: {
      caller: Principal | null;
      params: unknown;
      query: unknown;
    }): AsyncIterable<readonly object[]>;
  };
  object?(input: { caller: Principal | null; params: unknown }): Promise<unknown>;
  handle(input: RouteInput<unknown, unknown, unknown, Principal | null>): Promise<Reply> | Reply;
};

export function defineRoute<
  const A extends Access,
  Body extends z.ZodType | undefined = undefined,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  const Declared extends Responses = Responses,
  const Rule extends ReauthenticationRule | undefined = undefined,
>(definition: RouteDefinition<A, Body, Params, Query, Declared, Rule>): Route {
  return definition;
}

/**
 * Returns whether a route creates something for a caller. It then accepts an `Idempotency-Key`, and
 * its handler creates within `request.once`.
 */
export const isCreating = ({
  method,
  access,
  responses,
}: Pick<Route, 'method' | 'access' | 'responses'>): boolean =>
  method === 'POST' && access !== 'public' && 201 in responses;

export const ok = <Body>(body: Body): Reply<200, Body> => ({ status: 200, body });
/** For bodies whose field names are known only at run time, so that no schema type fits. */
export const okUntyped = (body: object): Reply<200, never> => ok(body as never);
export const accepted = <Body>(body: Body): Reply<202, Body> => ({ status: 202, body });
export const created = <Body>(body: Body): Reply<201, Body> => ({ status: 201, body });
/** Redirects to another page, which the browser requests with GET. */
export const redirect = (location: string): Reply<302, undefined> => ({
  status: 302,
  body: undefined,
  headers: { location },
});
/** Answers a posted form: the browser continues with GET. */
export const seeOther = (location: string): Reply<303, undefined> => ({
  status: 303,
  body: undefined,
  headers: { location },
});
export const noContent = (): Reply<204, undefined> => ({ status: 204, body: undefined });
