import { samePath, textOrNull } from '../family.ts';
import type { Family } from '../family.ts';
import { QuarantineNotice } from '../server-source.tsx';
import { ResourceFields } from './resource-fields.tsx';
import type { Resource, ResourceValues } from './resource.ts';

export const resourceFamily: Family<Resource, ResourceValues> = {
  place: 'resources',
  path: 'resources',
  nameOf: ({ path }) => path,
  valuesOf: (resource) => ({
    path: resource?.path ?? '',
    title: resource?.title ?? '',
    description: resource?.description ?? '',
    mime_type: resource?.mime_type ?? '',
    text: resource?.text ?? '',
    blob: resource?.blob ?? null,
  }),
  bodyOf: ({ path, title, description, mime_type, text, blob }, resource) =>
    resource?.upstream === undefined
      ? {
          path,
          title: textOrNull(title),
          description: textOrNull(description),
          mime_type: textOrNull(mime_type),
          ...(blob === null ? { text } : { blob }),
        }
      : { path },
  // The binary content has no field: its errors belong above the form.
  fieldOf: (pointer, values) => (pointer[0] === 'blob' ? null : samePath(pointer, values)),
  Fields: ResourceFields,
  Notice: QuarantineNotice,
};
