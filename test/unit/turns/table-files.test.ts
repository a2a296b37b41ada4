import { expect, test } from 'vitest';
import { tableReply } from '../../../src/gateway/rest/table-reply.ts';
import { heldShare } from '../../support/longest-turn.ts';

const table = { file_name: 'list', columns: ['id', 'detail'] };
const detail = { policy: Array.from({ length: 100 }, (_, id) => `"pattern ${id}"`) };
const page = Array.from({ length: 10_000 }, (_, id) => ({ id: String(id), detail }));

async function* pagesOf() {
  yield page;
}

test.each(['csv', 'jsonl'] as const)(
  'a page of 20 MB of a %s file holds the event loop no longer than one turn',
  async (format) => {
    const send = async () => {
      const { pieces } = await tableReply(table, format, pagesOf(), 'owner');
      let size = 0;
      for await (const piece of pieces!) size += piece.length;
      expect(size).toBeGreaterThan(15_000_000);
    };

    expect(await heldShare(send)).toBeLessThan(1);
  },
);
