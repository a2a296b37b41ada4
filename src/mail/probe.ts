import { Refusal } from '../platform/errors/refusal.ts';

export interface MailProbe {
  /** Throws 503 `email_unavailable` while the mail server is unavailable, for any recipient. */
  require(): Promise<void>;
  /** Opens the circuit breaker when a delivery found the server unreachable. */
  open(): void;
}

export interface ProbeOptions {
  verify(): Promise<void>;
  /** How long one result is cached; the design allows two seconds. */
  keepMs?: number;
  breakerMs?: number;
  now?(): number;
}

const CACHE_MS = 500;
const BREAKER_MS = 2_000;

/** Creates a probe that runs one check at a time, shares it among callers and caches it briefly. */
export function createProbe(options: ProbeOptions): MailProbe {
  const keepMs = options.keepMs ?? CACHE_MS;
  const now = options.now ?? (() => performance.now());
  let known: { isUp: boolean; until: number } = { isUp: false, until: -Infinity };
  let pending: Promise<boolean> | null = null;

  async function ask(): Promise<boolean> {
    const isUp = await options.verify().then(
      () => true,
      () => false,
    );
    known = { isUp, until: now() + keepMs };
    return isUp;
  }

  return {
    async require() {
      if (now() < known.until) {
        if (!known.isUp) throw mailUnavailable();
        return;
      }
      pending ??= ask().finally(() => {
        pending = null;
      });
      if (!(await pending)) throw mailUnavailable();
    },
    open() {
      known = { isUp: false, until: now() + (options.breakerMs ?? BREAKER_MS) };
    },
  };
}

const mailUnavailable = () =>
  new Refusal(
    'unavailable',
    'email_unavailable',
    'E-mail cannot be delivered right now. Nothing was saved; try again shortly.',
    { retryAfterSeconds: 5 },
  );
