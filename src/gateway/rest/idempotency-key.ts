import { isCreating } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { malformed } from '../../platform/errors/refusal.ts';
import { headerValues } from '../../platform/http/body.ts';

const VISIBLE = /^[\x21-\x7e]{1,64}$/;

/**
 * Returns the `Idempotency-Key` of a request that creates something, or null if it has none. Other
 * routes ignore the header. Throws 400 if it is malformed, or sent twice.
 */
export function idempotencyKeyOf(route: Route, rawHeaders: readonly string[]): string | null {
  if (!isCreating(route)) return null;
  const [key, ...more] = headerValues(rawHeaders, 'idempotency-key');
  if (key === undefined) return null;
  if (more.length === 0 && VISIBLE.test(key)) return key;
  throw malformed(
    'invalid_idempotency_key',
    'Send one Idempotency-Key of 1 to 64 visible ASCII characters, without spaces.',
  );
}
