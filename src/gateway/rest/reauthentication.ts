import { z } from 'zod';
import { isInteractive } from '../../caller/access.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequireReauthentication } from '../../caller/reauthentication.ts';
import type { Reauthentication, RequestFacts, Route } from '../../caller/route.ts';
import type { ReauthenticationProof } from '../../caller/schema.ts';
import { interactiveOnly } from '../senders/credentials.ts';

/** Returns the proof that a route requires before its handler; null if it requires none. */
export type Reauthenticate = (caller: Principal | null) => Promise<Reauthentication | null>;

/** Requires the reauthentication of one request once, however often the request is decided again. */
export function createReauthenticate(
  { reauthentication }: Pick<Route, 'reauthentication'>,
  { body, request }: { body: unknown; request: RequestFacts },
  requireReauthentication: RequireReauthentication,
): Reauthenticate {
  let proof: Promise<Reauthentication> | null = null;
  return async (caller) => {
    if (reauthentication !== 'first') return null;
    if (caller === null || !isSession(caller)) throw interactiveOnly();
    const { current_password } = body as ReauthenticationProof;
    return (proof ??= requireReauthentication(caller, current_password, request));
  };
}

/**
 * Throws at start for a route that requires reauthentication but accepts other credentials than
 * sessions, or whose body has no field for the proof; and for one with the field that requires none.
 */
export function requireDeclaredReauthentication({
  path,
  access,
  body,
  reauthentication,
}: Pick<Route, 'path' | 'access' | 'body' | 'reauthentication'>): void {
  const isRequired = reauthentication !== undefined;
  if (isRequired && !isInteractive(access))
    throw new Error(`${path} requires reauthentication, so its access must be interactive`);
  if (bodiesOf(body).some((one) => hasProof(one) !== isRequired))
    throw new Error(
      `${path} must both declare reauthentication and have current_password in its body, or neither`,
    );
}

const bodiesOf = (body: Route['body']): readonly unknown[] =>
  body instanceof z.ZodDiscriminatedUnion ? body.options : [body];

const hasProof = (body: unknown): boolean =>
  body instanceof z.ZodObject && 'current_password' in body.shape;
