import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import { toErrorResponse } from '../../../src/gateway/http/errors.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';

const lines: { level: number; err: { message: string } }[] = [];
const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });

test.each(['query', 'body'])(
  'a schema of the %s that fails itself is a logged 500, not a mistake of the client',
  async (part) => {
    lines.splice(0);
    const broken = z.object({
      name: z.string().transform(() => {
        throw new TypeError(`defect in the ${part}`);
      }),
    });
    const route = defineRoute({
      method: 'POST',
      path: '/api/broken',
      access: 'public',
      operation_id: 'createBroken',
      summary: '',
      tag: '',
      ...(part === 'query' ? { query: broken } : { body: broken }),
      responses: { 200: z.object({}) },
      handle: () => ok({}),
    });
    const app = await createGatewayApp({ routes: [route], log });

    const { statusCode, body } = await app.inject({
      ...{ method: 'POST', url: part === 'query' ? '/api/broken?name=a' : '/api/broken' },
      payload: part === 'query' ? {} : { name: 'a' },
    });

    expect([statusCode, body]).toEqual([500, expect.not.stringContaining('defect')]);
    expect(lines).toMatchObject([{ level: 50, err: { message: `defect in the ${part}` } }]);
  },
);

test('an error of a library that has a status is a defect, whatever the status', () => {
  for (const statusCode of [400, 404, 413, 415]) {
    const error = Object.assign(new Error('secret'), { statusCode });
    expect(toErrorResponse(error)).toMatchObject({ status: 500, defect: true });
  }
});
