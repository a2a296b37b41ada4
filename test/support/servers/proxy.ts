import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** What happens to the connection of a lost reply: it is closed, or stays open without data. */
export type Loss = 'cut' | 'mute';

/** A TCP proxy in front of one server that can lose or delay replies and cut connections. */
export interface Proxy {
  port: number;
  /** URL of the server through the proxy. */
  url: string;
  /** Forwards everything again and loses no reply; muted connections stay muted. */
  pass(): void;
  /**
   * Loses the reply to the next request that contains `containing`. The connection is then cut, or
   * stays open without further data, since TCP itself loses nothing in between.
   */
  loseReply(containing: string, loss: Loss): void;
  /** Calls `onChunk` with each chunk that a client sends, just before it is forwarded. */
  watch(onChunk: (chunk: Buffer) => void): void;
  /** Number of replies lost so far. */
  lost(): number;
  /** Number of chunks clients have sent so far, forwarded or not. */
  requests(): number;
  /** Number of bytes the server has sent so far. */
  replied(): number;
  /** Delays every reply. */
  delay(milliseconds: number): void;
  /** Cuts all connections and refuses new ones, as if the server were down. */
  down(): void;
  /** Accepts and holds connections but forwards nothing, as if the server process were stopped. */
  stall(): void;
  close(): Promise<void>;
}

type Mode = 'pass' | 'down' | 'stall';

interface Pair {
  client: Socket;
  server: Socket;
  isMute: boolean;
  losing: Loss | null;
}

export async function createProxy(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl);
  const pairs = new Set<Pair>();
  const traps: { containing: string; loss: Loss }[] = [];
  let mode: Mode = 'pass';
  let delayMs = 0;
  let lost = 0;
  let requests = 0;
  let replied = 0;
  let onChunk: (chunk: Buffer) => void = () => {};

  const end = (pair: Pair) => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  };
  const toServer = (pair: Pair, chunk: Buffer) => {
    requests += 1;
    onChunk(chunk);
    if (pair.isMute || mode === 'stall' || !pairs.has(pair)) return;
    const index = traps.findIndex(({ containing }) => chunk.includes(containing));
    if (index >= 0) pair.losing = traps.splice(index, 1)[0]?.loss ?? null;
    pair.server.write(chunk);
  };
  const toClient = (pair: Pair, chunk: Buffer) => {
    replied += chunk.length;
    if (pair.isMute || mode === 'stall') return;
    if (pair.losing !== null) {
      lost += 1;
      pair.isMute = true;
      if (pair.losing === 'cut') end(pair);
      return;
    }
    if (delayMs === 0) pair.client.write(chunk);
    else
      setTimeout(() => {
        pair.client.write(chunk);
      }, delayMs);
  };
  const listener = createServer((client) => {
    if (mode === 'down') {
      client.destroy();
      return;
    }
    const pair: Pair = { client, server: connectTo(target), isMute: false, losing: null };
    pairs.add(pair);
    client.on('data', (chunk: Buffer) => {
      toServer(pair, chunk);
    });
    pair.server.on('data', (chunk: Buffer) => {
      toClient(pair, chunk);
    });
    for (const socket of [client, pair.server]) {
      socket.setNoDelay();
      socket.on('error', () => end(pair));
      socket.on('close', () => end(pair));
    }
  });
  await new Promise<void>((done) => {
    listener.listen(0, '127.0.0.1', done);
  });
  const ownPort = (listener.address() as AddressInfo).port;
  const proxyUrl = new URL(target.protocol === 'unix:' ? 'tcp://127.0.0.1' : serverUrl);
  proxyUrl.hostname = '127.0.0.1';
  proxyUrl.port = String(ownPort);

  return {
    port: ownPort,
    url: proxyUrl.href,
    watch(next) {
      onChunk = next;
    },
    lost: () => lost,
    requests: () => requests,
    replied: () => replied,
    pass() {
      traps.length = 0;
      mode = 'pass';
      delayMs = 0;
    },
    loseReply(containing, loss) {
      traps.push({ containing, loss });
    },
    delay(milliseconds) {
      delayMs = milliseconds;
    },
    down() {
      mode = 'down';
      for (const pair of pairs) end(pair);
    },
    stall() {
      mode = 'stall';
    },
    async close() {
      for (const pair of pairs) end(pair);
      await new Promise<void>((done) => {
        listener.close(() => done());
      });
    },
  };
}

function connectTo(target: URL): Socket {
  if (target.protocol === 'unix:') return connect(target.pathname);
  const host = target.hostname.replace(/^\[|\]$/g, '');
  return connect(Number(target.port || (target.protocol.startsWith('redis') ? 6379 : 5432)), host);
}
