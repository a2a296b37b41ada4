import { describe, expect, test } from 'vitest';
import { startEndpoint } from './endpoint.ts';

describe('lists', () => {
  const namesOf = (body: { result: { tools: { name: string }[] } }) =>
    body.result.tools.map(({ name }) => name);

  test('show system tools first, then callable tools by name (S4)', async () => {
    const { post } = await startEndpoint();

    const { body } = await post('tools/list');

    expect(namesOf(body)).toEqual([
      'setup',
      'bootstrap',
      'agent_context',
      'breaks',
      'echo',
      'fails',
      'hangs',
      'refuses',
      'waits',
    ]);
    expect(body.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 30_000,
      cacheScope: 'private',
    });
    expect(body.result.nextCursor).toBeUndefined();
    expect(body.result.tools[4]).toEqual({
      name: 'echo',
      title: 'echo',
      description: 'The tool echo.',
      inputSchema: expect.objectContaining({ type: 'object' }),
      outputSchema: { type: 'object', anyOf: [expect.anything(), { required: ['error'] }] },
      annotations: expect.anything(),
    });
  });

  test('without Tools contain exactly the three system tools (P12)', async () => {
    const { post } = await startEndpoint({ capabilities: ['agents'] });

    expect(namesOf((await post('tools/list')).body)).toEqual([
      'setup',
      'bootstrap',
      'agent_context',
    ]);
  });

  test.each([1, 2, 4, 9])('in pages of %i show each tool once and in order', async (pageItems) => {
    const { post } = await startEndpoint({ pageItems });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await post('tools/list', cursor === undefined ? {} : { cursor });
      names.push(...namesOf(body));
      cursor = body.result.nextCursor;
    } while (cursor !== undefined);

    expect(names).toEqual([
      'setup',
      'bootstrap',
      'agent_context',
      'breaks',
      'echo',
      'fails',
      'hangs',
      'refuses',
      'waits',
    ]);
  });

  test('continue after a tool that is no longer shown', async () => {
    const { post, inputs } = await startEndpoint({ pageItems: 5 });
    const { body } = await post('tools/list');
    inputs.selected = inputs.selected.filter((name) => name !== 'echo');

    const next = await post('tools/list', { cursor: body.result.nextCursor });

    expect(namesOf(next.body)).toEqual(['fails', 'hangs', 'refuses', 'waits']);
  });

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    '%s refuses a cursor of another list (rel:B3-18), and fails in an outage instead of being cut short',
    async (method) => {
      const { post, inputs } = await startEndpoint({ pageItems: 1 });
      const { body } = await post('tools/list');
      const cursor = `${body.result.nextCursor}${method === 'tools/list' ? 'AA' : ''}`;
      const foreign = await post(method, { cursor });
      inputs.capabilities = 'unavailable';
      const failed = await post(method);

      expect(foreign.body.error).toEqual({
        code: -32602,
        message: 'Invalid cursor',
        data: { code: 'invalid_cursor' },
      });
      expect([failed.status, failed.body.error]).toEqual([
        503,
        { code: -32603, message: 'Temporarily unavailable. Try again shortly.' },
      ]);
    },
  );

  test.each([
    ['prompts/list', { prompts: [] }],
    ['resources/list', { resources: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
  ])('%s is empty for an account without items', async (method, expected) => {
    const { post } = await startEndpoint();

    expect((await post(method)).body.result).toMatchObject(expected);
  });

  test('reading an absent item returns the error code of the protocol version', async () => {
    const { post } = await startEndpoint();
    const prompt = await post('prompts/get', { name: 'x' });
    const resource = await post('resources/read', { uri: 'toolgate://me/x' });
    const nameless = await post('prompts/get', {});

    expect(prompt.body.error).toEqual({ code: -32601, message: 'Not found' });
    expect(resource.body.error).toEqual({ code: -32602, message: 'Resource not found' });
    expect(nameless.body.error).toMatchObject({ code: -32602, data: { code: 'invalid_params' } });
  });
});
