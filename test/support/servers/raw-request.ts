import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: string;
  body: string;
  /** All bytes received, to detect a smuggled second response. */
  text: string;
}

/** Sends bytes unchanged; reads until the server closes or sends nothing for `quietMs`. */
export function sendRaw(url: string, bytes: string | Buffer, quietMs = 500): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parse(Buffer.concat(chunks).toString('latin1')));
    };
    socket.once('error', (error) => (chunks.length > 0 ? finish() : reject(error)));
    socket.once('close', finish);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(finish, quietMs);
    });
    socket.write(bytes);
  });
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    headers: text.slice(0, end),
    body: text.slice(end + 4),
    text,
  };
}
