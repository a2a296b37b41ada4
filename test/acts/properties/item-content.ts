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
  /** Of whose it is; in every text of the item. */
  marker: string;
  /** In the content of this item and of no other; an argument's name can hold it. */
  mark?: string;
  components: OracleAgent['components'];
  /** Where a custom tool asks. */
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

/** An item's body whose every text says whose it is (P1). */
export const contentOf = (family: ItemFamily, written: Written): object => writers[family](written);
