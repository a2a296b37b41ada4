import type { z } from 'zod';
import type { Action } from '../../caller/actions.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Space } from '../spaces/space.ts';
import type { Family } from './schema.ts';

/** A family as its wires know it: REST, the management tools and the file of a space. */
export interface ItemFamily<
  Content extends object = object,
  Change = unknown,
  /** A whole draft is a change of everything, so that it replaces what it is merged into. */
  Body extends Change = Change,
> {
  family: Family;
  /** How tools and the audit name one, and what is done to it. */
  noun: 'resource' | 'prompt' | 'agent' | 'custom_tool';
  actions: Readonly<Record<'create' | 'update' | 'delete', Action>>;
  /** As people name one, one with its article, and many. */
  words: { one: string; a: string; many: string };
  /** Below `/api/me`, and the group of the reference. */
  path: string;
  tag: string;
  /** The group of the permissions that guard it: `prompts_create`. */
  permissions: 'resources' | 'prompts' | 'agents' | 'tools';
  /** The field of the wire that names an item. */
  nameField: 'name' | 'path';
  /** What is sent to create one, and to change one. */
  draft: z.ZodType<Body>;
  change: z.ZodType<Change>;
  /** What is answered: one with its content, one of a list. */
  record: z.ZodType;
  listed: z.ZodType;
  /** Milliseconds to create one, where others are asked for it. */
  creating_ms?: number;
  /** What a merge makes of the stored one; fields that are not sent stay. */
  merge(stored: Draft<Content>, change: Change): Draft<Content>;
}

/** What makes a family of items; everything else they share. */
export interface ItemKind<
  Content extends object,
  Change = unknown,
  Body extends Change = Change,
> extends ItemFamily<Content, Change, Body> {
  draftOf(body: Body, space: Space): Draft<Content> | Promise<Draft<Content>>;
  /** What lists show; kept apart so that a list reads no content. */
  headOf(content: Content): object;
  /** A name that is somebody else's: a system tool's, a built-in item's. */
  isReserved?(name: string): boolean;
  /** The 422 of a well-shaped item before it is saved; `id` null: it is new. */
  problems?(
    connection: Connection,
    draft: Draft<Content> & { space_id: string; id: string | null },
  ): Problem[] | Promise<Problem[]>;
  /** What else is written or removed in the same transaction. */
  saved?(transaction: Transaction, item: SavedItem<Content>): Promise<void>;
  removed?(transaction: Transaction, item: { id: string; space_id: string }): Promise<void>;
}

export interface Draft<Content> {
  name: string;
  content: Content;
  /** Kept beside the content and never read back; null takes one away. */
  secrets?: Readonly<Record<string, string | null>>;
}

export interface SavedItem<Content> extends Draft<Content> {
  id: string;
  space_id: string;
  version: number;
}

/** An edit: what becomes of the stored item. `if_match` null: whatever its version is. */
export interface Edit<Content> {
  if_match: string | null;
  next(stored: Draft<Content>): Draft<Content>;
}
