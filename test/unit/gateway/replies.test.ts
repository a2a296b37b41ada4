import { expect, test } from 'vitest';
import { z } from 'zod';
import { created, defineRoute, noContent, ok } from '../../../src/caller/route.ts';

const route = {
  method: 'GET',
  path: '/people',
  access: 'public',
  operation_id: 'getTest',
  summary: '',
  tag: '',
  responses: { 200: z.object({ name: z.string() }), 204: null },
} as const;

test('a reply with an undeclared status or body is a compile error', () => {
  const routes = [
    defineRoute({ ...route, handle: () => ok({ name: 'Ada' }) }),
    defineRoute({ ...route, handle: () => noContent() }),
    // @ts-expect-error The body lacks a member.
    defineRoute({ ...route, handle: () => ok({}) }),
    // @ts-expect-error A member has another type.
    defineRoute({ ...route, handle: () => ok({ name: 1 }) }),
    // @ts-expect-error The status is not declared.
    defineRoute({ ...route, handle: () => created({ name: 'Ada' }) }),
  ];

  expect(routes).toHaveLength(5);
});
