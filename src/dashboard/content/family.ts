import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';

/** The kinds of content, by the last part of their pages' addresses. */
export type Place = 'prompts' | 'resources' | 'agents' | 'tools';

/** Fields that the lists of all families have. */
export interface Listed {
  id: string;
  version: number;
  created_at: string;
  updated_at: string;
  title?: string | null;
  description?: string | null;
  /** Only in an organization. */
  qualified_name?: string;
  /** Only in the catalog of an organization. */
  organization_wide?: boolean;
}

export type FieldValues = Record<string, unknown>;

export interface FieldsProps<Item, Values extends FieldValues> {
  form: UseFormReturnType<Values>;
  /** The stored item; null if it is created now. */
  item: Item | null;
}

/** All that differs between the families; the pages are the same. */
export interface Family<Item extends Listed, Values extends FieldValues> {
  place: Place;
  /** Last part of the REST path. */
  path: string;
  nameOf(item: Item): string;
  /** The values of the form, of a stored item or of a new one. */
  valuesOf(item: Item | null): Values;
  /** The body that creates or changes an item; throws `RequestError` with `notJson` for its field. */
  bodyOf(values: Values, item: Item | null, notJson: string): object;
  /** The field of the form that an error's pointer names; null if there is none. */
  fieldOf(pointer: readonly string[], values: Values): string | null;
  /** Texts that the form requires though the service does not, as paths in the form. */
  requiredOf?(values: Values): string[];
  Fields(props: FieldsProps<Item, Values>): ReactNode;
  /** A tab with what an agent gets that starts as the item; only agent definitions have it. */
  Start?(props: { item: Item }): ReactNode;
  /** Shown above the tabs of an item: what its owner must act on. */
  Notice?(props: { item: Item }): ReactNode;
}

/** Joins the parts of a pointer to a path in the form, for a family whose body has its form's fields. */
export const samePath = (pointer: readonly string[], values: FieldValues): string | null =>
  pointer[0] !== undefined && Object.hasOwn(values, pointer[0]) ? pointer.join('.') : null;

/** Returns null for an empty text: optional texts are null, not empty. */
export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text);
