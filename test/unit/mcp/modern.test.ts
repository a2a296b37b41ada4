import { describe, expect, test } from 'vitest';
import { envelope, META, startEndpoint } from './endpoint.ts';

describe('the checks of protocol version 2026-07-28', () => {
  const codeOf = ({ status, body }: { status: number; body: { error?: { code: number } } }) => [
    status,
    body.error?.code,
  ];

  test('discovery returns the version, the capabilities and what to call first', async () => {
    const { post } = await startEndpoint();
    const { body } = await post('server/discover');

    expect(body.result).toEqual({
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'private',
      _meta: { [`${META}serverInfo`]: expect.objectContaining({ name: 'toolgate' }) },
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
      },
      instructions: expect.stringContaining('bootstrap'),
    });
  });

  test.each([
    [
      'another version',
      {
        meta: { [`${META}protocolVersion`]: '2027-01-01' },
        headers: { 'mcp-protocol-version': '2027-01-01' },
      },
      [400, -32022],
    ],
    [
      'an incomplete envelope',
      { meta: { [`${META}clientCapabilities`]: undefined } },
      [400, -32602],
    ],
    ['no version header', { headers: { 'mcp-protocol-version': null } }, [400, -32020]],
    ['no method header', { headers: { 'mcp-method': null } }, [400, -32020]],
    ['another method header', { headers: { 'mcp-method': 'prompts/list' } }, [400, -32020]],
    ['another name', { headers: { 'mcp-name': 'fails' } }, [400, -32020]],
  ])('refuses %s (rel:B3-31…34)', async (_name, overrides, expected) => {
    const { call } = await startEndpoint();

    expect(codeOf(await call('echo', {}, overrides as never))).toEqual(expected);
  });

  test('an unsupported version is refused with the list of supported ones', async () => {
    const { post } = await startEndpoint();
    const version = '2027-01-01';
    const { body } = await post(
      'tools/list',
      {},
      {
        meta: { [`${META}protocolVersion`]: version },
        headers: { 'mcp-protocol-version': version },
      },
    );

    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32022,
        message: expect.any(String),
        data: { supported: ['2026-07-28'], requested: version },
      },
    });
  });

  test.each([
    'tools/unknown',
    'initialize',
    'ping',
    'resources/subscribe',
    'constructor',
    '__proto__',
  ])('%s is not a method of this version: 404 (rel:B3-7)', async (method) => {
    const { post } = await startEndpoint();
    const answer = await post(method);

    expect(codeOf(answer)).toEqual([404, -32601]);
    expect(answer.body.error).toEqual({ code: -32601, message: 'Method not found' });
  });

  test('a notification is accepted and dropped, and a session id is ignored (rel:B3-35)', async () => {
    const { post } = await startEndpoint();
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    const dropped = await post('notifications/cancelled', {}, { body });
    const listed = await post('tools/list', {}, { headers: { 'mcp-session-id': 'anything' } });

    expect([dropped.status, dropped.body]).toEqual([202, null]);
    expect(listed.status).toBe(200);
  });

  test('ids are returned as sent', async () => {
    const { post } = await startEndpoint();
    for (const id of ['7', 'ü"\\', 0, -1, 9_007_199_254_740_991]) {
      const message = { jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: envelope } };
      const { body } = await post('tools/list', {}, { body: JSON.stringify(message) });

      expect(body).toMatchObject({ id });
    }
  });
});
