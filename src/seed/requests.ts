import type { Body, RouteName } from './steps/step.ts';

/** A request that the service refused, with its errors. */
export class RequestRefused extends Error {
  readonly status: number;
  readonly errors: readonly { code: string; message: string; detail: unknown }[];

  constructor(status: number, errors: RequestRefused['errors']) {
    super(errors.map(({ message }) => message).join(' '));
    this.name = 'RequestRefused';
    this.status = status;
    this.errors = errors;
  }
}

/** Requests to the REST routes of this process, without a network. */
export interface Requests {
  /** Returns what a route reads of a body; throws a refusal with all problems of its form. */
  read(route: RouteName, body: Body): unknown;
  /** Sends a request in a session; throws `RequestRefused`. */
  send(
    token: string,
    route: RouteName,
    params: Readonly<Record<string, string>>,
    body?: Body,
  ): Promise<Readonly<Record<string, unknown>>>;
}

const PAGE = 200;

/** Yields all entries of a list. */
export async function* listed(
  { send }: Pick<Requests, 'send'>,
  token: string,
  route: RouteName,
  params: Readonly<Record<string, string>>,
): AsyncGenerator<Body> {
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await send(token, `${route}?limit=${PAGE}${query}` as RouteName, params);
    const { data, next_cursor } = page as { data: readonly Body[]; next_cursor: string | null };
    yield* data;
    cursor = next_cursor;
  } while (cursor !== null);
}
