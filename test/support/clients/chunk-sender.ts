// A thread that sends chunks of one byte each, since the test measures the time of its own thread.
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export interface ChunkSender {
  /** Where to connect to; null to be connected to. */
  port: number | null;
  head: string;
  chunks: number;
}

/** Sends a message to the thread of the test. */
const report = (message: unknown) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Not a window.
  parentPort!.postMessage(message);
};

const { port, head, chunks } = workerData as ChunkSender;
const message = `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`;

if (port === null) {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => void socket.end(message));
  });
  server.listen(0, '127.0.0.1', () => report((server.address() as AddressInfo).port));
} else {
  const socket: Socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString();
    socket.end();
  });
  socket.on('error', () => {}).once('close', () => report(received));
  socket.write(message);
}
