import { wholeList } from '../../platform/http/pages.ts';
import { z } from 'zod';
import { ItemId } from '../../policies/policy.ts';
import { fewEntries } from '../items/schema.ts';
import { OAuthDraft, OAuthEdit, OAuthRecord } from './oauth/schema.ts';

export const MAX_HEADERS = 20;

/** 1 to 64 characters of `a-z 0-9 _ -`, as in the names of items. */
export const UpstreamName = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, { message: 'must be 1 to 64 characters of a-z, 0-9, _ and -' });

const Url = z.string().min(1).max(2_048);

export const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, { message: 'must be a valid HTTP header name' })
  .toLowerCase();
const HeaderValue = z.string().regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/, {
  message: 'must be 1 to 4096 printable ASCII characters, without spaces at either end',
});

const headers = <Value extends z.ZodType>(value: Value) =>
  fewEntries(z.record(HeaderName, value), MAX_HEADERS, 'headers');

/** An upstream MCP server. Header values are secrets: they are write-only. */
export const UpstreamDraft = z
  .object({
    name: UpstreamName,
    url: Url,
    headers: headers(HeaderValue).default({}).describe('The values are never returned.'),
    oauth: OAuthDraft.nullable().optional(),
  })
  .meta({ id: 'UpstreamDraft' });
export type UpstreamDraft = z.infer<typeof UpstreamDraft>;

/** Headers are merged: a string sets one, null removes it, and omitted ones stay unchanged. */
export const UpstreamEdit = z
  .object({
    name: UpstreamName.optional(),
    url: Url.optional(),
    headers: headers(HeaderValue.nullable())
      .optional()
      .describe('Null removes a header. A new origin also removes those that are omitted.'),
    oauth: OAuthEdit.nullable().optional().describe('Null: no longer authorized with OAuth.'),
  })
  .meta({ id: 'UpstreamEdit' });
export type UpstreamEdit = z.infer<typeof UpstreamEdit>;

export const UpstreamParams = z.object({
  id: ItemId.describe('Id of the upstream.').meta({ parameter: 'upstream_id' }),
});

export const UpstreamRecord = z
  .object({
    id: z.guid(),
    name: z.string(),
    url: z.string(),
    header_names: z.array(z.string()),
    oauth: OAuthRecord.nullable().describe('Null if it is not authorized with OAuth.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Upstream' });
export type UpstreamRecord = z.infer<typeof UpstreamRecord>;

const JsonObject = z.record(z.string(), z.unknown());

/** A tool as its upstream describes it; `pin` changes whenever the description does. */
export const UpstreamTool = z
  .object({
    name: z.string(),
    title: z.string().nullable(),
    description: z.string(),
    input_schema: JsonObject,
    output_schema: JsonObject.nullable(),
    annotations: JsonObject,
    pin: z.string(),
  })
  .meta({ id: 'UpstreamTool' });
export type UpstreamTool = z.infer<typeof UpstreamTool>;

/** Time limit of a request that lists an upstream's tools; opening alone may take ten seconds. */
export const DISCOVERY_MS = 20_000;

export const DiscoveredTools = wholeList(UpstreamTool).meta({ id: 'DiscoveredTools' });
