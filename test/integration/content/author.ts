import { createKeyHolder } from '../mcp/key-holder.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import type { Gateway, GatewayOptions, World } from '../../support/worlds/world.ts';

/** Body of a REST response about items; each test reads the fields it needs. */
export interface ItemBody {
  id: string;
  version: number;
  data: { id: string; [field: string]: unknown }[];
  errors: { code: string; message: string; detail: { pointer: string } | null }[];
  [field: string]: unknown;
}

/** Creates an account that writes items over REST, in a session or with a key. */
export async function createAuthor(world: World, gateway: Gateway) {
  const holder = await createKeyHolder(world, gateway);
  const requestWith =
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
    rest: requestWith(holder.bearer),
    restWith: (secret: string) => requestWith({ 'x-api-key': secret }),
  };
}

export type Author = Awaited<ReturnType<typeof createAuthor>>;

/** Starts a gateway with two accounts that write items; it closes after the file's tests. */
export async function useAuthors(env: Record<string, string> = {}, options: GatewayOptions = {}) {
  const { world, gateway } = await useGateway(env, options);
  const authors = [createAuthor(world, gateway), createAuthor(world, gateway)] as const;
  const [ada, bob] = await Promise.all(authors);
  return { world, gateway, ada, bob };
}

/** Returns the status, and the code and pointer of each problem. */
export const faultsOf = ({ status, body }: { status: number; body: ItemBody }) => [
  status,
  ...body.errors.map(({ code, detail }) => `${code} ${detail?.pointer ?? ''}`.trim()),
];
