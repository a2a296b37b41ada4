import { expect, test } from 'vitest';
import { heldShare } from '../../support/longest-turn.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { gateway } = await useGateway();

// The time that koa takes grows with the square of their number.
const REPEATED = 'a&'.repeat(7_500);

test.each(['/oauth/authorize', '/oauth/authorize/unknown'])(
  '%s refuses thousands of parameters without holding the event loop (rel:B7-6)',
  async (path) => {
    const share = await heldShare(async () => {
      const { status } = await fetch(`${gateway.url}${path}?${REPEATED}`, { redirect: 'manual' });
      expect(status).toBe(400);
    });

    expect(share).toBeLessThan(1);
  },
);
