import type { Config } from '../../platform/config/config.ts';
import { createRedis } from '../../platform/redis/redis.ts';
import type { RedisCommands } from '../../platform/redis/redis.ts';
import { failure, messageOf, ok, Skipped, warning } from './finding.ts';
import type { Result } from './finding.ts';

const CONNECT_MS = 1_000;

/** Opens Redis for its check and its clock. */
export function openRedis(config: Config) {
  let lastError: Error | null = null;
  const link = createRedis(config.REDIS_URL, config.REDIS_PREFIX, (error) => {
    lastError = error;
  });
  const ready = async () => {
    await link.ready(CONNECT_MS);
    return link.commands.status === 'ready';
  };
  return {
    async check(): Promise<Result> {
      if (!(await ready()))
        return failure(
          `Redis is not reachable${lastError === null ? '' : `: ${messageOf(lastError)}`}.`,
          'Check REDIS_URL and that Redis runs. Until then, limits are enforced by each process.',
        );
      const nodes = await Promise.all(mastersOf(link.commands).map((node) => node.info()));
      return nodes.map(findFault).find((fault) => fault !== null) ?? describe(nodes);
    },
    async readTime(): Promise<number> {
      if (!(await ready())) throw new Skipped('Redis is not reachable.');
      const [seconds, microseconds] = await link.commands.time();
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    },
    close: () => void link.close(),
  };
}

const mastersOf = (commands: RedisCommands): Pick<RedisCommands, 'info'>[] =>
  'nodes' in commands ? commands.nodes('master') : [commands];

function findFault(info: string): Result | null {
  const policy = fieldOf(info, 'maxmemory_policy');
  if (policy !== 'noeviction')
    return warning(
      `Redis evicts keys when its memory is full (maxmemory-policy ${policy}): sessions and counters get lost.`,
      'Set maxmemory-policy noeviction.',
    );
  if (fieldOf(info, 'aof_enabled') !== '1')
    return warning(
      'Redis loses its data at a restart (appendonly no).',
      'Set appendonly yes. For a trial you can leave it: counters are restored from PostgreSQL.',
    );
  if (fieldOf(info, 'aof_last_write_status') !== 'ok')
    return failure('Redis could not write its data.', 'Check the disk of Redis and its log.');
  return null;
}

const describe = (nodes: readonly string[]): Result =>
  ok(
    `Redis ${fieldOf(nodes[0]!, 'redis_version')}${nodes.length > 1 ? `, ${nodes.length} masters` : ''}, persistent, without eviction`,
  );

const fieldOf = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
