import { actorOf } from '../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { families } from '../content/items/schema.ts';
import { PageQuery, pageOf } from '../platform/http/pages.ts';
import type { Keys } from './keys.ts';
import {
  CreatedKey,
  ExplainQuery,
  Explanation,
  KeyDraft,
  KeyEdit,
  KeyParams,
  KeyRecord,
  Preview,
} from './schema.ts';

/** Interactive only: a key cannot make or end keys, its own neither. */
export const keyRoutes = (keys: Keys): Route[] => [...managing(keys), ...explaining(keys)];

const managing = (keys: Keys): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/keys',
    access: { interactive: 'ownership' },
    summary: 'List active keys, newest first',
    tag: 'Keys',
    query: PageQuery,
    responses: { 200: pageOf(KeyRecord) },
    handle: async ({ caller, query }) => ok(await keys.list(caller, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/keys',
    access: { interactive: 'manage_keys' },
    summary: 'Create a key; its secret is in this answer and never again',
    tag: 'Keys',
    body: KeyDraft,
    responses: { 201: CreatedKey },
    handle: async ({ caller, body, request }) =>
      created(await keys.create(caller, body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/keys/{id}',
    access: { interactive: 'ownership' },
    summary: 'One key',
    tag: 'Keys',
    params: KeyParams,
    responses: { 200: KeyRecord },
    handle: async ({ caller, params }) => ok(await keys.get(caller, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/keys/{id}',
    access: { interactive: 'manage_keys' },
    summary: 'Change the fields that are sent',
    tag: 'Keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.id),
    body: KeyEdit,
    responses: { 200: KeyRecord },
    handle: async ({ caller, params, body, request }) =>
      ok(await keys.update(caller, params.id, body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/keys/{id}',
    access: { interactive: 'ownership' },
    summary: 'Revoke a key, from its next request on',
    tag: 'Keys',
    params: KeyParams,
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await keys.revoke(caller, params.id, actorOf(caller, request));
      return noContent();
    },
  }),
];

// The longest of policies may take thirty seconds to decide (docs/limits.md).
const POLICY_MS = 40_000;

/** What keys see, and why: for their owner. */
const explaining = (keys: Keys): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/keys/preview',
    access: { interactive: 'manage_keys' },
    summary: 'What a key of this body would see and why not more; nothing is saved',
    tag: 'Keys',
    body: KeyDraft,
    responses: { 200: Preview },
    within_ms: POLICY_MS,
    handle: async ({ caller, body }) => ok(await keys.preview(caller, body)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/keys/{id}/explain',
    access: { interactive: 'manage_keys' },
    summary:
      'Why a key may have an item, or may not: each step and what it stands on; asked too often, 429',
    tag: 'Keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.id),
    query: ExplainQuery,
    responses: { 200: Explanation },
    within_ms: POLICY_MS,
    handle: async ({ caller, params, query }) =>
      ok(await keys.explain(caller, params.id, askedOf(query))),
  }),
];

function askedOf(query: ExplainQuery) {
  const family = families.find((one) => query[one] !== undefined)!;
  return { family, item: query[family]! };
}
