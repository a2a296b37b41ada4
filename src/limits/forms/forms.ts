import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Plans } from '../../platform/config/plans.ts';
import type { RedisLink } from '../../platform/redis/redis.ts';
import { limited } from '../../platform/errors/refusal.ts';
import { addressBucket } from '../../platform/http/address-bucket.ts';

export type FormKind =
  | 'challenge'
  | 'register'
  | 'login_failed'
  | 'second_factor'
  | 'third_party'
  | 'authorization'
  | 'discovery'
  | 'explain'
  | 'preview'
  | 'scim'
  | 'invitation';

/** Key of a limit: the client's address and, for `login_failed`, the normalized e-mail address. */
export interface FormKey {
  address?: string;
  email?: string;
  /**
   * The account whose password was correct (`second_factor`), that owns the upstream or key, that
   * previews or invites; the token of a directory (`scim`).
   */
  account?: string;
  /** The organization that sends an invitation. */
  organization?: string;
}

export interface FormDependencies {
  redis: RedisLink;
  addresses: Plans['addresses'];
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 24 * HOUR;

interface Rule {
  limiter: RateLimiterRedis;
  keyOf(key: FormKey): string;
}

/**
 * Creates the rate limits of forms and costly requests, by client address, account or organization;
 * without Redis, the same numbers apply in each process's memory.
 */
export function createFormLimits({ redis, addresses }: FormDependencies) {
  const rule = (
    name: string,
    points: number,
    duration: number,
    keyOf: Rule['keyOf'] = byAddress,
  ): Rule => ({
    limiter: new RateLimiterRedis({
      storeClient: redis.commands,
      keyPrefix: `${redis.prefix}form:${name}`,
      points,
      duration,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory({ points, duration }),
    }),
    keyOf,
  });
  const { challenge, register, login, second_factor, third_party } = addresses;
  const { authorization, discovery, explain, invitation, preview, scim } = addresses;
  const logins = [
    rule('login', login.hour, HOUR),
    rule('login_pair', login.quarter_hour, 15 * MINUTE, byPair),
  ];
  const rules: Record<FormKind, readonly Rule[]> = {
    challenge: [rule('challenge', challenge.minute, MINUTE)],
    third_party: [rule('third_party', third_party.minute, MINUTE)],
    authorization: [rule('authorization', authorization.minute, MINUTE)],
    register: [rule('register', register.hour, HOUR)],
    login_failed: logins,
    discovery: [rule('discovery', discovery.minute, MINUTE, byAccount)],
    explain: [rule('explain', explain.minute, MINUTE, byAccount)],
    preview: [rule('preview', preview.minute, MINUTE, byAccount)],
    scim: [rule('scim', scim.minute, MINUTE, byAccount)],
    // A person may create and delete organizations in turn, so the person has the same limit.
    invitation: [
      rule('invitation', invitation.hour, HOUR, byOrganization),
      rule('inviter', invitation.hour, HOUR, byAccount),
    ],
    // A person who knows the password may use many addresses, so the account has a limit too, which
    // cannot be exhausted without the password.
    second_factor: [...logins, rule('factor', second_factor.day, DAY, byAccount)],
  };
  return {
    /** Throws `limited('rate_limited', …)` with the seconds to wait. */
    async take(kind: FormKind, key: FormKey) {
      const results = await Promise.allSettled(
        rules[kind].map(({ limiter, keyOf }) => limiter.consume(keyOf(key))),
      );
      const rejections = results.flatMap((result) =>
        result.status === 'rejected' ? result.reason : [],
      );
      if (rejections.length === 0) return;
      // The library also counts refused attempts; they must not use up the other limit.
      await giveBack(rules[kind], key);
      throw refusal(rejections);
    },
    /**
     * Undoes a `take`. A sign-in takes `login_failed` before the password is checked, so that
     * parallel guesses cannot pass together, and gives it back if the password was correct.
     */
    giveBack: (kind: FormKind, key: FormKey) => giveBack(rules[kind], key),
  };
}
export type FormLimits = ReturnType<typeof createFormLimits>;

async function giveBack(rules: readonly Rule[], key: FormKey): Promise<void> {
  await Promise.all(rules.map(({ limiter, keyOf }) => limiter.reward(keyOf(key))));
}

function refusal(rejections: readonly unknown[]): unknown {
  const seconds = rejections.map((rejection) =>
    rejection instanceof RateLimiterRes ? Math.ceil(rejection.msBeforeNext / 1_000) : Number.NaN,
  );
  if (seconds.some(Number.isNaN))
    return rejections.find((rejection) => !(rejection instanceof RateLimiterRes));
  return limited('rate_limited', 'Too many attempts. Try again later.', {
    retryAfterSeconds: Math.max(1, ...seconds),
  });
}

/** Throws if a part of the key is missing: otherwise, all clients would share one limit. */
function requirePart(part: string | undefined): string {
  if (part === undefined) throw new TypeError('The form key lacks a part of the rate limit’s key.');
  return part;
}

const byAddress = (key: FormKey) => addressBucket(requirePart(key.address));
const byAccount = (key: FormKey) => requirePart(key.account);
const byOrganization = (key: FormKey) => requirePart(key.organization);
const byPair = (key: FormKey) => {
  const email = createHash('sha256')
    .update(key.email ?? '')
    .digest('base64url');
  return `${byAddress(key)}:${email}`;
};
