import { expect } from 'vitest';
import type { Author } from '../content/author.ts';
import type { eventReader } from './legacy/client.ts';

/** Creates a resource and returns functions that edit and remove it. */
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

/** Reads a stream's notifications: the method, and the URI if it has one. */
export function createNotifier(events: ReturnType<typeof eventReader>) {
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
  /** Returns the next resource URI; skips list_changed, which a first stream may also send. */
  const nextUri = async (): Promise<string | undefined> => {
    for (;;) {
      const notification = await next();
      if (notification === null || notification.length > 1) return notification?.[1];
    }
  };
  return { next, nextUri, close: events.close };
}
export type Notifier = ReturnType<typeof createNotifier>;
