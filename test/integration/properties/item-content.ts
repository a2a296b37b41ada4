import type { OracleAgent } from '../../oracle/world.ts';
import type { ItemFamily } from '../../support/worlds/worlds.ts';

export const itemPaths: Readonly<Record<ItemFamily, string>> = {
  prompts: '/api/me/prompts',
  resources: '/api/me/resources',
  agents: '/api/me/agents',
  tools: '/api/me/custom-tools',
};

interface Written {
  name: string;
  /** Identifies the account; contained in every text of the item. */
  marker: string;
  /** Contained only in this item's content; also usable as an argument name. */
  mark?: string;
  components: OracleAgent['components'];
  /** Origin that a custom tool calls. */
  upstream: string;
}

type Write = (written: Written) => object;

const common = ({ name, marker, mark = '' }: Written) => ({
  name,
  title: `Title of ${marker}`,
  description: `Described by ${marker}. ${mark}`,
});

const writers: Readonly<Record<ItemFamily, Write>> = {
  prompts: (written) => ({
    ...common(written),
    arguments: ['about', ...(written.mark === undefined ? [] : [written.mark])].map((name) => ({
      name,
      description: `Asked by ${written.marker}.`,
      required: false,
    })),
    messages: [
      {
        role: 'user',
        content: `Written by ${written.marker} about {{about}}.${placeholderOf(written)}`,
      },
      { role: 'assistant', content: `Understood, ${written.marker}.` },
    ],
  }),
  resources: (written) => ({
    ...common(written),
    name: undefined,
    path: written.name,
    mime_type: 'text/plain',
    text: `Written by ${written.marker}. ${written.mark ?? ''}`,
  }),
  agents: (written) => ({
    ...common(written),
    instructions: `Act as ${written.marker} says.`,
    components: written.components.map((one) => ({
      ...one,
      content: `A part by ${written.marker}. ${written.mark ?? ''}/${one.name}`,
    })),
  }),
  tools: (written) => ({
    ...common(written),
    input_schema: { type: 'object', properties: { about: { type: 'string' } } },
    kind: 'http',
    http: { method: 'GET', url: `${written.upstream}/${written.marker}` },
  }),
};

const placeholderOf = ({ mark }: Written) => (mark === undefined ? '' : ` {{${mark}}}`);

/** Returns an item's body, every text of which contains the account's marker (P1). */
export const contentOf = (family: ItemFamily, written: Written): object => writers[family](written);
