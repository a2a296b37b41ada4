import { describe, expect, test } from 'vitest';
import { createToolCaller } from '../mcp/tool-caller.ts';
import { eras } from '../mcp/both-eras.ts';
import { addUpstream, createMcpWorld, draftOf, offer } from './mcp-world.ts';
import { keyOf, path } from './tool-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const LONG = 'Says it again. '.repeat(300);

const mcp = await closeAfterTests(createMcpWorld());
mcp.v2.tools['echo']!.description = LONG;
const upstream = await addUpstream(mcp.ada, mcp.v2.url);
await mcp.ada.select(['create_custom_tool', 'get_custom_tool', 'update_custom_tool']);
const permissions = ['can_create_tools', 'can_update_tools'];
const secret = await keyOf(mcp.ada, { grants: [{ scope: { type: 'personal' }, permissions }] });

describe.each(eras)('tools of an upstream, managed in MCP %s', (_era, era) => {
  test('an agent can send back an upstream’s tool unchanged, under another name', async () => {
    const { body, name } = await offer(mcp.ada, upstream, 'echo');
    const { run } = await createToolCaller(mcp.ada, secret, era);

    const got = await run('get_custom_tool', { id: body.id });
    const { id, title, description, input_schema, annotations, kind, mcp: origin } = got;
    const draft = { id, title, description, input_schema, annotations, kind, mcp: origin };
    const renamed = await run('update_custom_tool', { ...draft, name: `${name}_2` });

    const { version, updated_at, ...rest } = renamed;
    expect([version, description]).toEqual([2, LONG]);
    expect(got).toMatchObject({ ...rest, name, updated_at: expect.any(String) as unknown });
    expect((await mcp.ada.rest(`${path}/${id}`)).body).toEqual(renamed);
    expect(Date.parse(String(updated_at))).toBeGreaterThan(0);
  });

  test('an agent cannot change an upstream’s description of its tool', async () => {
    const { body, name } = await offer(mcp.ada, upstream, 'echo');
    const { call } = await createToolCaller(mcp.ada, secret, era);
    const origin = { upstream_id: upstream, tool: 'echo' };
    const faultOf = async (tool: string, input: object) => {
      const { result } = await call(tool, { kind: 'mcp', name, mcp: origin, ...input });
      return result.structuredContent.error;
    };

    for (const [change, pointer] of [
      [{ description: 'Mine.' }, '/description'],
      [{ title: null }, '/title'],
      [{ annotations: { readOnlyHint: true } }, '/annotations'],
      [{ mcp: { ...origin, tool: 'counts' } }, '/mcp'],
      [{ mcp: { ...origin, pin: 'seen-before' } }, '/mcp'],
    ] as const)
      expect(await faultOf('update_custom_tool', { id: body.id, ...change })).toMatchObject({
        code: 'fixed_field',
        details: { pointer },
      });
    const ownDraft = draftOf(upstream, 'echo', { description: 'Mine.' });
    expect(await faultOf('create_custom_tool', ownDraft)).toMatchObject({ code: 'fixed_field' });
    expect((await mcp.ada.rest(`${path}/${body.id}`)).body).toEqual(body);
  });
});
