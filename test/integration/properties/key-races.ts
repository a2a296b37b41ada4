import { expect } from 'vitest';
import type { Gateway } from '../../support/worlds/world.ts';
import { trials } from './trials.ts';

/** Uses a key at a gateway, in an even turn with a call and in an odd one with a list. */
export type Use = (gateway: Gateway, turn: number) => Promise<boolean>;

/** Keys that one revocation ends, or what each key lost by it. */
export interface KeysAtRisk {
  /** Returns whether the use was accepted. */
  uses: readonly Use[];
  revoke(): Promise<unknown>;
}

const MAX_USES_BEFORE = 3;

/**
 * In each round, uses several keys while what they depend on is revoked. A use that begins after the
 * response to the revocation must be refused (P4); earlier ones may be accepted or refused. Returns
 * the number of races, one for each key of each round.
 */
export async function raceKeys(
  gateways: readonly Gateway[],
  prepare: () => Promise<KeysAtRisk>,
  rounds: number,
): Promise<number> {
  let races = 0;
  for (let round = 0; round < trials(rounds); round += 1) {
    const { uses, revoke } = await prepare();
    const keys = uses.map((use, index) => {
      const number = index + (round >> 1);
      const gateway = gateways[number % gateways.length]!;
      // Half of the keys call and the others list, at each gateway.
      return () => use(gateway, number >> 1);
    });
    for (const use of keys) await expect.poll(use, { message: 'it worked before' }).toBe(true);
    const revoked = Promise.withResolvers<void>();
    const late = keys.map(async (use, index) => {
      // The revocation meets each key at another point of its uses.
      const most = 1 + ((index + round) % MAX_USES_BEFORE);
      for (let number = 0; number < most; number += 1) await use();
      await revoked.promise;
      return use();
    });
    try {
      await revoke();
    } finally {
      revoked.resolve();
    }
    expect(await Promise.all(late), 'accepted after the revocation').toEqual(keys.map(() => false));
    races += keys.length;
  }
  return races;
}
