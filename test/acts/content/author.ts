import { createKeyHolder } from '../mcp/key-holder.ts';
import type { Gateway, World } from '../../support/world.ts';

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

/** Status, and code with place of each problem. */
export const faultsOf = ({ status, body }: { status: number; body: ItemBody }) => [
  status,
  ...body.errors.map(({ code, detail }) => `${code} ${detail?.pointer ?? ''}`.trim()),
];
