import type { OracleAgent } from '../../oracle/world.ts';
import type { ItemFamily } from '../../support/worlds/worlds.ts';

/** Returns the path of a family's items in a space, by default the personal space. */
export const itemPath = (family: ItemFamily, space = '/api/me'): string =>
  `${space}/${family === 'tools' ? 'custom-tools' : family}`;

interface ItemFields {
  name: string;
  /** Identifies the account; contained in every text of the item. */
  marker: string;
  /** Contained only in this item's content; also usable as an argument name. */
  mark?: string;
  components: OracleAgent['components'];
  /** Origin that a custom tool calls. */
  upstream: string;
}

type Write = (fields: ItemFields) => object;

const common = ({ name, marker, mark = '' }: ItemFields) => ({
  name,
  title: `Title of ${marker}`,
  description: `Described by ${marker}. ${mark}`,
});

const writers: Readonly<Record<ItemFamily, Write>> = {
  prompts: (fields) => ({
    ...common(fields),
    arguments: ['about', ...(fields.mark === undefined ? [] : [fields.mark])].map((name) => ({
      name,
      description: `Asked by ${fields.marker}.`,
      required: false,
    })),
    messages: [
      {
        role: 'user',
        content: `Written by ${fields.marker} about {{about}}.${placeholderOf(fields)}`,
      },
      { role: 'assistant', content: `Understood, ${fields.marker}.` },
    ],
  }),
  resources: (fields) => ({
    ...common(fields),
    name: undefined,
    path: fields.name,
    mime_type: 'text/plain',
    text: `Written by ${fields.marker}. ${fields.mark ?? ''}`,
  }),
  agents: (fields) => ({
    ...common(fields),
    instructions: `Act as ${fields.marker} says.`,
    components: fields.components.map((one) => ({
      ...one,
      content: `A part by ${fields.marker}. ${fields.mark ?? ''}/${one.name}`,
    })),
  }),
  tools: (fields) => ({
    ...common(fields),
    input_schema: { type: 'object', properties: { about: { type: 'string' } } },
    kind: 'http',
    http: { method: 'GET', url: `${fields.upstream}/${fields.marker}` },
  }),
};

const placeholderOf = ({ mark }: ItemFields) => (mark === undefined ? '' : ` {{${mark}}}`);

/** Returns the body of an item. Each of its texts contains the account's marker (P1). */
export const contentOf = (family: ItemFamily, fields: ItemFields): object =>
  writers[family](fields);
