import type { Problem } from '../../platform/errors/refusal.ts';
import { createItems } from '../items/items.ts';
import type { Draft, ItemFamily, ItemKind, Items, ItemsDependencies } from '../items/items.ts';
import { renamed } from '../items/renamed.ts';
import { pinning, withQuarantine } from '../pins/items-of-upstreams.ts';
import type { UpstreamItemsDependencies } from '../pins/items-of-upstreams.ts';
import { ResourceChange, ResourceDraft, ResourceListed, ResourceRecord } from './schema.ts';
import type { ResourceContent, ResourceSummary } from './schema.ts';

/** Texts and binary data that agents read by path. */
export type Resources = Items<ResourceContent>;

const MAX_CONTENT_BYTES = 1_048_576;

export const createResources = (
  dependencies: ItemsDependencies & UpstreamItemsDependencies,
): Resources =>
  withQuarantine(
    createItems(
      { ...kind, ...pinning<ResourceContent>(dependencies, 'resource', ({ uri }) => uri) },
      dependencies,
    ),
    dependencies,
    dependencies.database.pool,
  );

export const resourceFamily: ItemFamily<ResourceContent, ResourceChange, ResourceDraft> = {
  family: 'resource',
  noun: 'resource',
  actions: {
    create: 'resource.create',
    update: 'resource.update',
    delete: 'resource.delete',
    promote: 'resource.promote',
  },
  words: { one: 'resource', a: 'a resource', many: 'resources' },
  path: 'resources',
  tag: 'Resources',
  permissions: 'resources',
  nameField: 'path',
  draft: ResourceDraft,
  change: ResourceChange,
  record: ResourceRecord,
  listed: ResourceListed,
  draft_errors: ['fixed_field', 'too_large'],
  merge: mergeResource,
};

const kind: ItemKind<ResourceContent, ResourceChange, ResourceDraft> = {
  ...resourceFamily,
  draftOf: draftOfResource,
  summaryOf: (content): ResourceSummary => ({
    title: content.title,
    description: content.description,
    mime_type: content.mime_type,
    ...(content.upstream === undefined
      ? { size: sizeOf(content) }
      : { size: null, upstream: content.upstream }),
  }),
  problems: (_connection, { content }) => tooLarge(content),
};

type Body = Pick<ResourceContent, 'text' | 'blob'>;

const sizeOf = ({ text, blob }: Body): number =>
  text === null ? Buffer.byteLength(blob ?? '', 'base64') : Buffer.byteLength(text);

function tooLarge(content: ResourceContent): Problem[] {
  const size = sizeOf(content);
  if (size <= MAX_CONTENT_BYTES) return [];
  return [
    {
      code: 'too_large',
      message: `A resource must have at most ${MAX_CONTENT_BYTES} bytes; this one has ${size}.`,
      detail: { pointer: content.text === null ? '/blob' : '/text', limit: MAX_CONTENT_BYTES },
    },
  ];
}

const defaultType = ({ text }: Body) => (text === null ? 'application/octet-stream' : 'text/plain');

export function draftOfResource(draft: ResourceDraft): Draft<ResourceContent> {
  const content = {
    title: draft.title,
    description: draft.description,
    mime_type: draft.mime_type ?? defaultType(draft),
    text: draft.text,
    blob: draft.blob,
  };
  return { name: draft.path, content };
}

export function mergeResource(
  stored: Draft<ResourceContent>,
  change: ResourceChange,
): Draft<ResourceContent> {
  const { path, title, description, mime_type, text, blob } = change;
  const { content } = stored;
  if (content.upstream !== undefined)
    return renamed(
      stored,
      { name: path, title, description, mime_type, text, blob },
      'Only the path of a resource of an upstream can be changed.',
    );
  const isBodySent = text !== undefined || blob !== undefined;
  const body = isBodySent ? { text: text ?? null, blob: blob ?? null } : content;
  return {
    name: path ?? stored.name,
    content: {
      title: title === undefined ? content.title : title,
      description: description === undefined ? content.description : description,
      mime_type: mime_type === undefined ? content.mime_type : (mime_type ?? defaultType(body)),
      text: body.text,
      blob: body.blob,
    },
  };
}
