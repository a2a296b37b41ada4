import { expect } from 'vitest';
import type { Gateway } from '../../support/worlds/world.ts';
import { trials } from './trials.ts';

const STREAMS = 2;
const USES_AFTER = 3;
const ROUNDS = 5;

interface Attempt {
  began: number;
  accepted: boolean;
}

/** Access that can be revoked, and a way to use it at a gateway. */
export interface Access {
  /** Returns whether the use was accepted. */
  accepts(gateway: Gateway): Promise<boolean>;
  revoke(): Promise<unknown>;
}

/**
 * Uses the access at every gateway while it is revoked, in several rounds. Uses that begin after the
 * response to the revocation must all be refused (P4); earlier ones may be accepted or refused.
 * `after` is the number of later uses in each stream of requests.
 */
export async function raceRepeatedly(
  gateways: readonly Gateway[],
  prepare: () => Promise<Access>,
  { after = USES_AFTER } = {},
): Promise<void> {
  for (let left = trials(ROUNDS); left > 0; left -= 1) {
    const late = await race(gateways, await prepare(), after);
    expect(late.length).toBeGreaterThanOrEqual(gateways.length * STREAMS * after);
    expect(late.filter(({ accepted }) => accepted)).toEqual([]);
  }
}

/** Returns the uses that began after the response to the revocation. */
async function race(
  gateways: readonly Gateway[],
  { accepts, revoke }: Access,
  after: number,
): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  let revokedAt = Infinity;
  const stream = async (gateway: Gateway) => {
    for (let late = 0; late < after;) {
      const began = performance.now();
      const isLate = began > revokedAt;
      attempts.push({ began, accepted: await accepts(gateway) });
      if (isLate) late += 1;
    }
  };
  for (const gateway of gateways) expect(await accepts(gateway), 'it worked before').toBe(true);
  const running = Promise.all(
    gateways.flatMap((gateway) => Array.from({ length: STREAMS }, () => stream(gateway))),
  );
  try {
    await revoke();
  } finally {
    revokedAt = performance.now();
    await running;
  }
  return attempts.filter(({ began }) => began > revokedAt);
}
