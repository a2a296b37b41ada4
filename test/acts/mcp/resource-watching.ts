import { expect } from 'vitest';
import type { Author } from '../content/author.ts';
import type { eventReader } from './legacy/client.ts';

/** A resource that its author changes while others watch it. */
export async function write(author: Author, path: string, fields: object = {}) {
  const body = { path, text: 'first', ...fields };
  const made = await author.rest('/api/me/resources', body);
  expect(made.status).toBe(201);
  const at = `/api/me/resources/${made.body.id}`;
  return {
    id: made.body.id,
    edit: async (change: object) =>
      expect((await author.rest(at, change, 'PATCH')).status).toBe(200),
    remove: async () => expect((await author.rest(at, undefined, 'DELETE')).status).toBe(204),
  };
}

/** What a stream tells: the method, and the URI where it has one. */
export function teller(events: ReturnType<typeof eventReader>) {
  const next = async (): Promise<string[] | null> => {
    const event = await events.next();
    if (event === null) return null;
    if (event.data === '') return next();
    const { method, params } = JSON.parse(event.data) as {
      method: string;
      params?: { uri?: string };
    };
    return params?.uri === undefined ? [method] : [method, params.uri];
  };
  /** The next resource it tells of: a first stream also tells that lists may have changed. */
  const nextUri = async (): Promise<string | undefined> => {
    for (;;) {
      const told = await next();
      if (told === null || told.length > 1) return told?.[1];
    }
  };
  return { next, nextUri, close: events.close };
}
export type Teller = ReturnType<typeof teller>;
