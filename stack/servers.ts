import type { Guard } from './guard.ts';

export type ServerName = 'postgres' | 'redis' | 'openfga' | 'smtp';

export type StackOptions = {
  env: Record<string, string | undefined>;
  dataDir: string;
  /** A test trades durability for speed, and its data folder is removed at the end. */
  purpose: 'local' | 'test';
  progress: (line: string) => void;
  /** Default: all but `smtp` in a test, all in a local start. */
  needs?: readonly ServerName[];
};

/** Addresses of running servers; a source returns the addresses of those that it had to start. */
export type Servers = {
  /** Local: the service's database. Test: one from which databases are created. */
  databaseUrl: string;
  redisUrl: string;
  openfgaApiUrl: string;
  openfgaApiToken?: string;
  openfgaMetricsUrl?: string;
};

/** Servers to start, and how. */
export type StartOptions = StackOptions & {
  guard: Guard;
  absent: ReadonlySet<Exclude<ServerName, 'smtp'>>;
  onStop(work: () => Promise<void>): void;
};
