import type { SignedUp } from '../../support/people/people.ts';
import { askAs } from '../../support/people/organizations.ts';

/** An item in a response. */
export interface Item {
  id: string;
  version: number;
  space?: string;
  qualified_name?: string;
  organization_wide?: boolean;
  [field: string]: unknown;
}
export type Listed = { data: Item[] };

export const FAMILIES = ['resources', 'prompts', 'agents', 'custom-tools'] as const;
export type FamilyPath = (typeof FAMILIES)[number];

export const draftOf = (family: FamilyPath, name = 'guide'): object =>
  ({
    resources: { path: `${name}.md`, text: 'Hello.' },
    prompts: { name, messages: [{ role: 'user', content: 'Hello.' }] },
    agents: { name, description: 'Guides.', instructions: 'Guide.' },
    'custom-tools': {
      ...{ name, kind: 'http', description: 'Asks.' },
      http: { method: 'GET', url: 'https://example.com/' },
    },
  })[family];

/** Creates an item named `guide` in the space at `path`. */
export const create = (who: SignedUp, path: string, family: FamilyPath, fields = {}) =>
  askAs<Item>(who, { path: `${path}/${family}`, body: { ...draftOf(family), ...fields } });
export const patch = (who: SignedUp, path: string, body: object) =>
  askAs<Item>(who, { method: 'PATCH', path, body });
