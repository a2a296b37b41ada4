import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { writeCached, writeReply } from '../../../src/mcp/protocol/call.ts';
import { sendCached } from '../../../src/mcp/protocol/http.ts';

const listed = '{"name":"grüße","title":"€ 😀"}';
const cached = { before: '{"prompts":[', bytes: Buffer.from(listed), after: '],"nextCursor":"ñ"}' };

test('a cached result is the same message whether it is sent in pieces or written as one text', async () => {
  const id = 'ä';
  const fields = '"resultType":"complete",';
  const text = `{"jsonrpc":"2.0","id":"ä","result":{"resultType":"complete","prompts":[${listed}],"nextCursor":"ñ"}}`;
  const server = createServer((_, response) =>
    sendCached(response, writeCached(id, cached, fields)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const answer = await fetch(`http://127.0.0.1:${port}/`);

  expect(await answer.text()).toBe(text);
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  expect(writeReply(id, { cached }, fields)).toBe(text);
  expect(JSON.parse(writeReply(id, { cached }))).toMatchObject({ result: { nextCursor: 'ñ' } });
});
