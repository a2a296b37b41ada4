import type { Gateway } from '../../support/worlds/world.ts';
import { createReader } from './reader.ts';

const LISTS = ['tools', 'prompts', 'resources'] as const;

/** Returns every name that a key is shown, prefixed with its family. */
export async function namesShown(
  secret: string,
  gateway: Gateway,
  root?: string,
): Promise<Set<string>> {
  const reader = createReader(secret, '2026', root);
  const seen = await Promise.all(
    LISTS.map(async (family) =>
      (await reader.list(gateway, family))!.map((name) => `${family} ${name}`),
    ),
  );
  const response = await reader.bootstrap(gateway, {
    primary_agent: true,
    request_agent_catalog: true,
  });
  const agents = typeof response === 'object' ? (response.catalog.agents ?? []) : [];
  return new Set([...seen.flat(), ...agents.map((name) => `agents ${name}`)]);
}
