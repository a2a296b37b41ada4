import { Refusal } from '../platform/errors/refusal.ts';

export interface ProbeOptions {
  verify(): Promise<void>;
  /** How long one result is cached; the design allows two seconds. */
  cacheMs?: number;
  breakerMs?: number;
  now?(): number;
}

const CACHE_MS = 500;
const BREAKER_MS = 2_000;

/** Creates a probe that runs one check at a time, shares it among callers and caches it briefly. */
export function createProbe(options: ProbeOptions) {
  const cacheMs = options.cacheMs ?? CACHE_MS;
  const now = options.now ?? (() => performance.now());
  let lastResult: { isUp: boolean; until: number } = { isUp: false, until: -Infinity };
  let pending: Promise<boolean> | null = null;

  async function verifyServer(): Promise<boolean> {
    const isUp = await options.verify().then(
      () => true,
      () => false,
    );
    lastResult = { isUp, until: now() + cacheMs };
    return isUp;
  }

  return {
    /** Throws 503 `email_unavailable` while the mail server is unavailable, for any recipient. */
    async requireAvailable() {
      if (now() < lastResult.until) {
        if (!lastResult.isUp) throw mailUnavailable();
        return;
      }
      pending ??= verifyServer().finally(() => {
        pending = null;
      });
      if (!(await pending)) throw mailUnavailable();
    },
    /** Opens the circuit breaker, after a delivery found the server unreachable. */
    open() {
      lastResult = { isUp: false, until: now() + (options.breakerMs ?? BREAKER_MS) };
    },
  };
}
export type MailProbe = ReturnType<typeof createProbe>;

const mailUnavailable = () =>
  new Refusal(
    'unavailable',
    'email_unavailable',
    'E-mail cannot be delivered right now. Nothing was saved; try again shortly.',
    { retryAfterSeconds: 5 },
  );
