import { expect } from 'vitest';
import type { Gateway } from '../../support/worlds/world.ts';
import { eventReader, send } from '../mcp/legacy/client.ts';

export const LISTS = ['tools', 'prompts', 'resources'] as const;
export type List = (typeof LISTS)[number];

/** Reads the stream of a 2025 session at any gateway; each event is read once. */
export function createStream(
  gateways: readonly [Gateway, Gateway],
  secret: string,
  session: string,
) {
  let events: ReturnType<typeof eventReader> | null = null;
  let last = 0;
  const known = new Set<string>();
  return {
    async open(gatewayIndex: number) {
      const gateway = gateways[gatewayIndex % 2]!;
      const headers = last === 0 ? {} : { 'last-event-id': `g.${last}` };
      const response = await send(`${gateway.url}/mcp`, secret, {
        method: 'GET',
        session,
        headers,
      });
      expect(response.status).toBe(200);
      events = eventReader(response);
      expect(await events.next()).toMatchObject({ data: '' });
    },
    close: () => events?.close(),
    /** Reads until these lists are announced; another list may be announced only once. */
    async expectAnnounced(lists: readonly List[]) {
      const missing = new Set<string>(lists);
      while (missing.size > 0) {
        const event = await events!.next();
        expect(event?.id, 'ids rise one by one').toBe(`g.${last + 1}`);
        last += 1;
        const family = /notifications\/(\w+)\/list_changed/.exec(event!.data)?.[1] ?? event!.data;
        const isDue = missing.delete(family);
        // A list that is new to the session is announced once, because it may have changed.
        expect(isDue || !known.has(family), `${family} changed`).toBe(true);
        known.add(family);
      }
    },
  };
}

export type SessionStream = ReturnType<typeof createStream>;
