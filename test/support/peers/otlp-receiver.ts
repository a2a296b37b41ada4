import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ReceivedSpan {
  trace_id: string;
  span_id: string;
  /** Empty for a root span. */
  parent_id: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  /** Status code; 2 is an error. */
  status: number;
}

export interface ReceivedRecord {
  name: string;
  severity: number;
  /** Nanoseconds since 1970. */
  time: bigint;
  attributes: Record<string, unknown>;
}

/** Starts a collector that receives traces and log records over OTLP (HTTP with protobuf) and stores them. */
export async function createOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const records: ReceivedRecord[] = [];
  const resources: Record<string, unknown>[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      store(request, body);
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  function store({ url = '', headers }: IncomingMessage, body: Buffer): void {
    requests.push({ path: url, headers, text: body.toString('latin1') });
    for (const resource of all(body, 1)) {
      resources.push(attributesOf(first(resource, 1), 1));
      for (const scope of all(resource, 2))
        if (url.endsWith('/v1/logs')) records.push(...all(scope, 2).map(recordOf));
        else spans.push(...all(scope, 2).map(spanOf));
    }
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ spans, records, resources, requests, url: `http://127.0.0.1:${port}` },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

// Reads the fields of opentelemetry/proto/trace/v1/trace.proto that tests use.
const spanOf = (span: Buffer): ReceivedSpan => ({
  trace_id: first(span, 1).toString('hex'),
  span_id: first(span, 2).toString('hex'),
  parent_id: first(span, 4).toString('hex'),
  name: first(span, 5).toString(),
  kind: Number(number(span, 6)),
  attributes: attributesOf(span, 9),
  status: Number(number(first(span, 15), 3)),
});

// Likewise of opentelemetry/proto/logs/v1/logs.proto.
const recordOf = (record: Buffer): ReceivedRecord => ({
  name: first(record, 12).toString(),
  severity: Number(number(record, 2)),
  time: first(record, 1).readBigUInt64LE(),
  attributes: attributesOf(record, 6),
});

const attributesOf = (message: Buffer, field: number): Record<string, unknown> =>
  Object.fromEntries(
    all(message, field).map((pair) => [first(pair, 1).toString(), valueOf(first(pair, 2))]),
  );

function valueOf(value: Buffer): unknown {
  const [field] = fieldsOf(value);
  if (field === undefined) return null;
  if (field.number === 1) return (field.value as Buffer).toString();
  if (field.number === 2) return field.value === 1n;
  return field.number === 3 ? Number(field.value) : field.value;
}

const all = (message: Buffer, fieldNumber: number): Buffer[] =>
  fieldsOf(message)
    .filter(({ number: found }) => found === fieldNumber)
    .map(({ value }) => value as Buffer);
const first = (message: Buffer, fieldNumber: number): Buffer =>
  all(message, fieldNumber)[0] ?? Buffer.alloc(0);
const number = (message: Buffer, fieldNumber: number): bigint =>
  (fieldsOf(message).find(({ number: found }) => found === fieldNumber)?.value as
    | bigint
    | undefined) ?? 0n;

/**
 * Parses the wire format: a varint with field and type, then a varint, 8 or 4 bytes, or bytes with
 * a length prefix.
 */
function fieldsOf(message: Buffer): { number: number; value: Buffer | bigint }[] {
  const fields: { number: number; value: Buffer | bigint }[] = [];
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[offset++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (count: number) => message.subarray(offset, (offset += count));
  while (offset < message.length) {
    const tag = Number(varint());
    const type = tag & 7;
    const value = type === 0 ? varint() : bytes(type === 1 ? 8 : type === 5 ? 4 : Number(varint()));
    fields.push({ number: tag >> 3, value });
  }
  return fields;
}
