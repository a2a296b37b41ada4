import { expect, test } from 'vitest';
import { tableReply } from '../../../src/gateway/table-reply.ts';
import { heldShare } from '../../support/longest-turn.ts';

const table = { file_name: 'list', columns: ['id', 'detail'] };
const detail = { policy: Array.from({ length: 1_000 }, (_, id) => `"pattern ${id}"`) };
const page = Array.from({ length: 400 }, (_, id) => ({ id: String(id), detail }));

async function* pagesOf() {
  yield page;
}

test.each(['csv', 'jsonl'] as const)(
  'a page of 8 MB of a %s file holds the event loop no longer than one turn',
  async (format) => {
    const send = async () => {
      const { pieces } = await tableReply(table, format, pagesOf(), 'owner');
      let size = 0;
      for await (const piece of pieces!) size += piece.length;
      expect(size).toBeGreaterThan(7_000_000);
    };

    expect(await heldShare(send)).toBeLessThan(1);
  },
);
