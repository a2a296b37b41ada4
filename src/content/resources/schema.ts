import { z } from 'zod';
import { isResourcePath } from '../../policies/resource-path.ts';
import { Description, commonFields, Quarantine, Title } from '../items/schema.ts';
import { UpstreamResource } from '../upstreams/content/schema.ts';
import { toNfc } from '../../platform/text/nfc.ts';

/** Normalized to NFC, so that paths that look alike are equal; responses return this form. */
const Path = z
  .string()
  .max(1_024)
  .overwrite(toNfc)
  .refine(isResourcePath, {
    message:
      'must be segments separated by single slashes, none of them `.` or `..`; at most 1024 bytes, ' +
      'no backslash and no invisible characters',
  })
  .describe('Path in the URI `toolgate://me/<path>`; resource policies match it.');

const TOKEN = '[A-Za-z0-9!#$&^_.+-]{1,127}';
const MIME_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:; ?${TOKEN}=(?:${TOKEN}|"[ !#-\\[\\]-~]{0,127}")){0,8}$`,
);
const MimeType = z
  .string()
  .max(255)
  .regex(MIME_TYPE, { message: 'must be a media type such as text/plain' });

// Accepts only the canonical encoding: standard alphabet, padded, unused bits zero.
function isCanonicalBase64(text: string): boolean {
  try {
    return btoa(atob(text)) === text;
  } catch {
    return false;
  }
}

const content = {
  text: z.string().nullable(),
  blob: z
    .string()
    .refine(isCanonicalBase64, { message: 'must be padded base64' })
    .nullable()
    .describe('Binary content in base64, instead of `text`.'),
};

const fields = {
  title: Title.nullable(),
  description: Description.nullable(),
  mime_type: MimeType.nullable().describe(
    'Null means `text/plain` for text and `application/octet-stream` for a blob.',
  ),
  ...content,
};

interface Body {
  text?: string | null | undefined;
  blob?: string | null | undefined;
}
const countBodies = ({ text, blob }: Body) => [text, blob].filter((body) => body != null).length;
const isUntouched = ({ text, blob }: Body) => text === undefined && blob === undefined;
const exactlyOneBody = { message: 'must have either `text` or `blob`', path: ['text'] };

export const resourceDraftFields = {
  path: Path,
  title: fields.title.default(null),
  description: fields.description.default(null),
  mime_type: fields.mime_type.default(null),
  text: fields.text.default(null),
  blob: fields.blob.default(null),
};

export const ResourceDraft = z
  .object(resourceDraftFields)
  .refine((draft) => countBodies(draft) === 1, exactlyOneBody)
  .meta({ id: 'ResourceDraft' });
export type ResourceDraft = z.infer<typeof ResourceDraft>;

export const ResourceChange = z
  .object({ path: Path, ...fields })
  .partial()
  .refine((change) => isUntouched(change) || countBodies(change) === 1, exactlyOneBody)
  .meta({ id: 'ResourceEdit' });
export type ResourceChange = z.infer<typeof ResourceChange>;

/** Where a resource comes from, if not from this service; `pin` is a hash of the approved description. */
export const ResourceSource = z
  .object({ upstream_id: z.guid(), uri: z.string(), pin: z.string() })
  .meta({ id: 'ResourceSource' });
export type ResourceSource = z.infer<typeof ResourceSource>;

/** Stored content of a resource; exactly one of `text`, `blob` and `upstream` is set. */
export interface ResourceContent {
  title: string | null;
  description: string | null;
  mime_type: string;
  text: string | null;
  blob: string | null;
  upstream?: ResourceSource | undefined;
}

/** The description of a resource of an upstream, with the limits of a resource of one's own. */
export const ResourceDescription = z.object({
  title: fields.title,
  description: fields.description,
  mime_type: MimeType,
});

/** Fields of a resource that lists show. */
export const ResourceSummary = z.object({
  title: z.string().nullable(),
  description: z.string().nullable(),
  mime_type: z.string(),
  size: z.int().nullable().describe('Bytes; null for a resource of an upstream.'),
  upstream: ResourceSource.optional().describe('Only of a resource of an upstream.'),
});
export type ResourceSummary = z.infer<typeof ResourceSummary>;

export const ResourceListed = z
  .object({
    ...commonFields,
    path: z.string(),
    ...ResourceSummary.shape,
    held: Quarantine.nullable().optional(),
  })
  .meta({ id: 'ResourceSummary' });
export const ResourceRecord = ResourceListed.extend({
  text: z.string().nullable(),
  blob: z.string().nullable(),
  held: Quarantine.extend({ found: UpstreamResource }).nullable().optional(),
}).meta({ id: 'Resource' });
