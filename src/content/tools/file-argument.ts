import { isRecord } from './schema-walk.ts';
import { invalidArgument } from './template.ts';

/** Content of a file that an argument holds as base64. */
export interface FileContent {
  bytes: Uint8Array;
  media_type: string | null;
  file_name: string | null;
}

const MEMBERS = new Set(['base64', 'media_type', 'file_name']);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}\/[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Returns the file in `{base64, media_type?, file_name?}`; null for any other value. */
export function fileOf(value: unknown): FileContent | null {
  if (!isRecord(value) || typeof value['base64'] !== 'string') return null;
  if (!Object.keys(value).every((key) => MEMBERS.has(key))) return null;
  const { base64, media_type = null, file_name = null } = value;
  const text = base64.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(text) || text.replaceAll('=', '').length % 4 === 1)
    throw invalidArgument('base64', 'must be base64');
  if (media_type !== null && (typeof media_type !== 'string' || !MEDIA_TYPE.test(media_type)))
    throw invalidArgument('media_type', 'must be a media type, such as image/png');
  if (file_name !== null && typeof file_name !== 'string')
    throw invalidArgument('file_name', 'must be a string');
  return { bytes: Buffer.from(text, 'base64'), media_type, file_name };
}
