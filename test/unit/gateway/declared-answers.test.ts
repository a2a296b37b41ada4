import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeApi } from '../../../src/gateway/openapi/document.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { requireDeclared } from '../../support/people/declared-answers.ts';

const deployment = { baseUrl: 'http://x.example', sessionCookie: 'session' };
let description: string;
const server = createServer((_request, response) => {
  response.end(description);
});
let url: string;
beforeAll(async () => {
  description = JSON.stringify(describeApi(await declaredRoutes(), deployment));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const checkError = (status: number, code: string) =>
  requireDeclared(url, {
    method: 'POST',
    path: '/api/keys',
    status,
    text: JSON.stringify({ errors: [{ code, message: 'Not so.', detail: null }] }),
  });

test.each([
  [409, 'name_taken'],
  [422, 'duplicate_grant'],
  [403, 'interactive_only'],
  [400, 'invalid_body'],
])('the test client accepts the declared error %i %s', async (status, code) => {
  await expect(checkError(status, code)).resolves.toBeUndefined();
});

test.each([
  ['a code the operation does not declare', 409, 'totp_on'],
  ['a code of another status', 422, 'name_taken'],
  ['a status the operation does not declare', 412, 'version_mismatch'],
])('the test client rejects %s', async (_what, status, code) => {
  await expect(checkError(status, code)).rejects.toThrow('declared');
});
