import { afterAll } from 'vitest';
import { createKeyHolder } from '../mcp/key-holder.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, GatewayOptions, World } from '../../support/worlds/world.ts';

/** What a REST answer about items holds; each test looks at its own members. */
export interface ItemBody {
  id: string;
  version: number;
  data: { id: string; [field: string]: unknown }[];
  errors: { code: string; message: string; detail: { pointer: string } | null }[];
  [field: string]: unknown;
}

/** A person who writes items over REST, in a session or with a key. */
export async function createAuthor(world: World, gateway: Gateway) {
  const holder = await createKeyHolder(world, gateway);
  const asking =
    (credential: Record<string, string>) =>
    (path: string, body?: unknown, method?: string, headers: Record<string, string> = {}) =>
      holder.person.ask<ItemBody>({
        path,
        headers: { ...credential, ...headers },
        ...(body === undefined ? {} : { body }),
        ...(method === undefined ? {} : { method }),
      });
  return {
    ...holder,
    rest: asking(holder.bearer),
    restWith: (secret: string) => asking({ 'x-api-key': secret }),
  };
}

export type Author = Awaited<ReturnType<typeof createAuthor>>;

/** A gateway and two people who write there, until the tests of the file are over. */
export async function useAuthors(env: Record<string, string> = {}, options: GatewayOptions = {}) {
  const world = await createWorld(env);
  afterAll(() => world.close());
  const gateway = await world.gateway(options);
  const both = [createAuthor(world, gateway), createAuthor(world, gateway)] as const;
  const [ada, bob] = await Promise.all(both);
  return { world, gateway, ada, bob };
}

/** Status, and code with place of each problem. */
export const faultsOf = ({ status, body }: { status: number; body: ItemBody }) => [
  status,
  ...body.errors.map(({ code, detail }) => `${code} ${detail?.pointer ?? ''}`.trim()),
];
