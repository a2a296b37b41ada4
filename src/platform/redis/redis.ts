import { Cluster, Redis } from 'ioredis';

export type RedisCommands = Redis | Cluster;

/** One Redis or a Redis Cluster. The keys of one script share a hash tag, `{owner}`. */
export interface RedisLink {
  /** For commands and scripts: 150 ms timeout, no offline queue, never resent by the driver. */
  commands: RedisCommands;
  /** Separate connection for subscriptions, which block it. */
  subscriber: RedisCommands;
  /** Prefix that our own code adds to every key and channel (tests: one per file). */
  prefix: string;
  /**
   * Resolves when commands can be sent, or after `withinMs`: the service starts without Redis too.
   */
  ready(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

const COMMAND_MS = 150;
// A connection that accepts a command and then sends nothing is closed and reopened.
const SILENCE_MS = 500;

// Redis may still be reading its data: the driver would wait as long as the server estimates, up to
// ten seconds.
const LOADING_MS = 500;

// A reply lost after INCR must not resend INCR; without the other three options a stopped Redis
// leaves commands pending forever (reliability.md 1.5).
const commandOptions = {
  connectTimeout: 1_000,
  maxLoadingRetryTime: LOADING_MS,
  commandTimeout: COMMAND_MS,
  socketTimeout: SILENCE_MS,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 5), 1_000),
};
const subscriberOptions = {
  connectTimeout: 1_000,
  maxLoadingRetryTime: LOADING_MS,
  maxRetriesPerRequest: null,
  retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 5), 1_000),
};

/**
 * Connects to `redis://…`, `rediss://…` or `redis+cluster://host:port,host:port`; errors are only
 * passed to `onError`.
 */
export function createRedis(
  url: string,
  prefix: string,
  onError: (error: Error) => void,
): RedisLink {
  const commands = connect(url, commandOptions);
  const subscriber = connect(url, subscriberOptions);
  for (const connection of [commands, subscriber]) connection.on('error', onError);
  return {
    commands,
    subscriber,
    prefix,
    ready: (withinMs) => whenReady(commands, withinMs),
    async close() {
      commands.disconnect();
      subscriber.disconnect();
    },
  };
}

function whenReady(connection: RedisCommands, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (connection.status === 'ready') return resolve();
    const timer = setTimeout(resolve, withinMs);
    connection.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
    return undefined;
  });
}

function connect(
  url: string,
  options: typeof commandOptions | typeof subscriberOptions,
): RedisCommands {
  const cluster = /^redis(s?)\+cluster:\/\/(?:([^@/]*)@)?([^/]+)/.exec(url);
  if (!cluster) return new Redis(url, options);
  const [, tls, credentials, hosts] = cluster;
  const [username, password] = (credentials ?? '').split(':').map(decodeURIComponent);
  const nodes = hosts!.split(',').map((host) => {
    const at = new URL(`redis://${host}`);
    return { host: at.hostname, port: Number(at.port || 6379) };
  });
  const { retryStrategy, ...redisOptions } = options;
  const queued = options === subscriberOptions;
  return new Cluster(nodes, {
    enableOfflineQueue: queued,
    // Scripts that several owners issue at the same time are sent in one write per node.
    enableAutoPipelining: !queued,
    clusterRetryStrategy: retryStrategy,
    redisOptions: {
      ...redisOptions,
      ...(username ? { username } : {}),
      ...(password ? { password } : {}),
      ...(tls ? { tls: {} } : {}),
    },
  });
}
