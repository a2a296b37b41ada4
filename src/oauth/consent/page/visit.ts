import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { Cookie, RequestFacts } from '../../../caller/route.ts';
import type { Interaction } from '../../server/server.ts';
import type { Offer } from '../offer.ts';
import type { PageWords } from './elements.ts';

/** One request of a browser to the page of its authorization request. */
export interface Visit {
  words: PageWords;
  uid: string;
  request: RequestFacts;
  interaction: Interaction;
}

export interface PageResponse {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly Cookie[];
}

/** What was just submitted, and what is wrong with it. */
interface Submitted {
  form: URLSearchParams | null;
  message: string | null;
}

/** Why a person is not signed in, with the address that was submitted. */
interface RefusedSignIn {
  email?: string;
  message?: string;
  status: number;
}

/** Responses that several actions share. */
export interface Showing {
  /** Returns null for a person who is not signed in. */
  callerOf(request: RequestFacts): Promise<SessionPrincipal | null>;
  signIn(visit: Visit, refused?: RefusedSignIn): Promise<PageResponse>;
  offer(visit: Visit, caller: SessionPrincipal, offer: Offer, what: Submitted): Promise<string>;
  back(visit: Visit, to: string): Promise<PageResponse>;
}
