import { expect, test } from 'vitest';
import type { ChangePreview } from '../../../src/previews/schema.ts';
import { useAuthors } from '../content/author.ts';
import { toolId } from '../mcp/key-holder.ts';

const { ada, bob } = await useAuthors();
await ada.select(['hash']);

const path = '/api/me/mcp-settings/preview';
const settings = (...tools: string[]) => ({ tools: tools.map(toolId), platform_prompts: [] });
async function preview(body: object) {
  const { status, body: seen } = await ada.rest(path, body);
  expect([status, seen]).toEqual([200, expect.anything()]);
  return seen as unknown as ChangePreview;
}
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);
const changes = ({ gained, lost }: ChangePreview) =>
  new Map(
    [...gained, ...lost].map(({ subject: { id } }) => [
      id,
      [gained, lost].map((effects) =>
        names(effects.find(({ subject }) => subject.id === id)?.items.tools ?? []),
      ),
    ]),
  );

test('a preview of MCP settings shows what each of your keys would gain and lose', async () => {
  const open = await ada.createKey({ mcp_capabilities: ['tools'] });
  const narrow = await ada.createKey({
    ...{ mcp_capabilities: ['tools'] },
    tool_policy: { mode: 'whitelist', tools: [toolId('hash')] },
  });
  const without = await ada.createKey({ mcp_capabilities: ['prompts'] });
  await bob.createKey({ mcp_capabilities: ['tools'] });

  const seen = await preview(settings('calculator'));

  expect(changes(seen)).toEqual(
    new Map([
      [open.id, [['calculator'], ['hash']]],
      [narrow.id, [[], ['hash']]],
    ]),
  );
  expect(seen.gained[0]!.counts).toEqual({
    tools: 1,
    prompts: 0,
    resources: 0,
    agents: 0,
  });
  expect([seen.examined, seen.total, seen.errors]).toEqual([3, 3, []]);
  const { body } = await ada.rest(`/api/keys/${without.id}/preview`);
  expect(body).toMatchObject({ counts: { visible: { tools: 3 } } });
});
