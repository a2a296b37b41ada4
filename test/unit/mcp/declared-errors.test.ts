import { expect, test } from 'vitest';
import { requireDeclaredErrors } from '../../support/clients/declared-errors.ts';

const rpcError = (code: string) => ({ jsonrpc: '2.0', id: 1, error: { code: -1, data: { code } } });
const toolError = (code: string) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { isError: true, structuredContent: { error: { code } } },
});
const checkReply = (status: number, body: object) => () =>
  requireDeclaredErrors(status, JSON.stringify(body));

test.each([
  ['an HTTP status', 403, rpcError('origin_not_allowed')],
  ['a JSON-RPC error', 200, rpcError('invalid_params')],
  ['a tool error', 200, toolError('capability_denied')],
  ['a batch of them', 200, [rpcError('invalid_params'), toolError('capability_denied')]],
  ['a JSON-RPC error without a code', 200, { error: { code: -32601 } }],
])('the MCP test clients accept a declared error as %s', (_form, status, body) => {
  expect(checkReply(status, body)).not.toThrow();
});

test.each([
  ['an unknown code', 200, rpcError('no_such_code')],
  ['a code with another status', 400, rpcError('origin_not_allowed')],
  ['a code of a tool error as a JSON-RPC error', 200, rpcError('capability_denied')],
  ['a code that only REST returns', 200, toolError('interactive_only')],
  ['an undeclared error in a batch', 200, [rpcError('invalid_params'), rpcError('no_such_code')]],
])('the MCP test clients reject %s', (_what, status, body) => {
  expect(checkReply(status, body)).toThrow('is not declared');
});
