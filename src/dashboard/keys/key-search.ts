import { isId } from '../api/ids.ts';
import { callFilterOf } from '../usage/call-filter.ts';
import type { CallFilter } from '../usage/call-filter.ts';

/** Choices of permissions for a common use; also named by `?preset=`. */
export const presets = ['none', 'read_only', 'editor', 'all'] as const;
export type Preset = (typeof presets)[number];

const isPreset = (name: unknown): name is Preset => presets.some((one) => one === name);

/** Parts of a key's page; the address names the open one. */
export const keyTabs = ['access', 'connect', 'activity', 'explain'] as const;
export type KeyTab = (typeof keyTabs)[number];

/** Kinds of items that can be explained. */
export const explainedFamilies = ['tool', 'prompt', 'resource', 'agent'] as const;
export type ExplainedFamily = (typeof explainedFamilies)[number];

/** The item that is explained, by its id or, for a system tool, by its name. */
export interface ExplainSearch {
  family?: ExplainedFamily;
  item?: string;
}

export interface KeySearch extends ExplainSearch, CallFilter {
  tab?: KeyTab;
  client?: string;
}

export function explainSearchOf({ family, item }: Record<string, unknown>): ExplainSearch {
  const known = explainedFamilies.find((one) => one === family);
  return {
    ...(known === undefined ? {} : { family: known }),
    ...(typeof item === 'string' ? { item } : {}),
  };
}

export function keySearchOf(search: Record<string, unknown>): KeySearch {
  const { tab, client } = search;
  const known = keyTabs.find((one) => one === tab);
  return {
    ...(known === undefined ? {} : { tab: known }),
    ...(typeof client === 'string' ? { client } : {}),
    ...explainSearchOf(search),
    ...callFilterOf(search),
  };
}

export function newKeySearchOf({ from, preset }: Record<string, unknown>): {
  from?: string;
  preset?: Preset;
} {
  return {
    ...(isId(from) ? { from } : {}),
    ...(isPreset(preset) ? { preset } : {}),
  };
}
