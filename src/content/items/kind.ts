import type { z } from 'zod';
import type { Action } from '../../caller/actions.ts';
import type { RouteErrors } from '../../caller/route-errors.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Space } from '../spaces/space.ts';
import type { Family } from './schema.ts';

/** A family's names, schemas and permissions, for REST, the management tools and the space file. */
export interface ItemFamily<
  Content extends object = object,
  Change = unknown,
  /** A draft is also a valid change of every field, so an item can be replaced by merging one. */
  Body extends Change = Change,
> {
  family: Family;
  /** The item's type in tools and in the audit log, and its actions in that log. */
  noun: 'resource' | 'prompt' | 'agent' | 'custom_tool';
  actions: Readonly<Record<'create' | 'update' | 'delete', Action>> & { promote?: Action };
  /** Names in prose: singular, with article, plural. */
  words: { one: string; a: string; many: string };
  /** Path segment below `/api/me`, and tag of the API reference. */
  path: string;
  tag: string;
  /** Permission group that guards the family, as in `prompts_create`. */
  permissions: 'resources' | 'prompts' | 'agents' | 'tools';
  /** Field that names an item in the API. */
  nameField: 'name' | 'path';
  /** Request bodies of create and update. */
  draft: z.ZodType<Body>;
  change: z.ZodType<Change>;
  /** Responses: an item with its content, and a list entry. */
  record: z.ZodType;
  listed: z.ZodType;
  /** Time limit of creation in milliseconds, if it has to call an upstream. */
  creation_timeout_ms?: number;
  /** Codes of the problems that a draft may have (422), and other errors of creation. */
  draft_errors: readonly ErrorCode[];
  creation_errors?: RouteErrors;
  /** Returns what clients may refuse about a valid item, whose MCP name is given. */
  warningsOf?(record: Readonly<Record<string, unknown>>, mcpName: string): readonly object[];
  /** Applies a change to the stored item; fields that are not sent stay unchanged. */
  merge(stored: Draft<Content>, change: Change): Draft<Content>;
}

/** The logic that is specific to a family; all other logic is shared. */
export interface ItemKind<
  Content extends object,
  Change = unknown,
  Body extends Change = Change,
> extends ItemFamily<Content, Change, Body> {
  draftOf(body: Body, space: Space): Draft<Content> | Promise<Draft<Content>>;
  /** Fields for lists; stored separately so that lists do not read contents. */
  summaryOf(content: Content): object;
  /** Whether a system tool or a built-in item reserves the name. */
  isReserved?(name: string): boolean;
  /**
   * Returns the problems of a draft that fits its schema, for a 422. `id` is null for a new item.
   */
  problems?(
    db: Queryable,
    draft: Draft<Content> & { space_id: string; id: string | null },
  ): Problem[] | Promise<Problem[]>;
  /** Called in the same transaction, to write or delete related rows. */
  onSaved?(
    transaction: Transaction,
    item: SavedItem<Content>,
    /** The content that was replaced; null for a new item. */
    replaced: Content | null,
  ): Promise<void>;
  onRemoved?(transaction: Transaction, item: { id: string; space_id: string }): Promise<void>;
  /** Called when the item's row has moved to another space, to move related rows too. */
  onMoved?(transaction: Transaction, item: MovedItem): Promise<void>;
}

/** An item that moves from one space to another. */
export interface MovedItem {
  id: string;
  from: string;
  to: string;
}

export interface Draft<Content> {
  name: string;
  content: Content;
  /** Stored separately from the content and never read back; null deletes a secret. */
  secrets?: Readonly<Record<string, string | null>>;
  /** Only in an organization's catalog: whether the item is for all its credentials (P9). */
  organization_wide?: boolean;
}

export interface SavedItem<Content> extends Draft<Content> {
  id: string;
  space_id: string;
  version: number;
}

/** An edit as a function of the stored item. If `if_match` is null, any version matches. */
export interface Edit<Content> {
  if_match: string | null;
  next(stored: Draft<Content>): Draft<Content>;
}
