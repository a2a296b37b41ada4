import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server that has only the TXT records of `records`, by name. */
export interface DnsServer {
  /** `127.0.0.1:<port>`, for `DNS_SERVERS`. */
  address: string;
  /** TXT records by name, each of one or more parts. */
  records: Map<string, string[][]>;
  /** Whether it drops every query. */
  isSilent: boolean;
  close(): Promise<void>;
}

const HEADER_BYTES = 12;
const TXT = 16;
const NAME_ERROR = 3;

export async function createDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const self: DnsServer = {
    address: '',
    records: new Map(),
    isSilent: false,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query, { port, address }) => {
    if (self.isSilent) return;
    const { name, type, end } = readQuestion(query);
    const found = type === TXT ? (self.records.get(name.toLowerCase()) ?? null) : null;
    socket.send(response(query.subarray(0, end), found), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  self.address = `127.0.0.1:${socket.address().port}`;
  return self;
}

/** Reads the one question of a query (RFC 1035, 4.1.2). */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Answers with the records; null: the name does not exist. */
function response(question: Buffer, records: string[][] | null): Buffer {
  const answers = (records ?? []).map((parts) => {
    const texts = Buffer.concat(
      parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])),
    );
    const head = Buffer.alloc(12);
    // A pointer to the name in the question, then type, class IN, TTL and length.
    head.writeUInt16BE(0xc00c, 0);
    head.writeUInt16BE(TXT, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(texts.length, 10);
    return Buffer.concat([head, texts]);
  });
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180 | (records === null ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(HEADER_BYTES), ...answers]);
}
