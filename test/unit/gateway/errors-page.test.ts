import { expect, test } from 'vitest';
import { errorsOf } from '../../../src/gateway/rest/declared-errors.ts';
import { errorCodes } from '../../../src/platform/errors/error-codes.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { errorsPage } from './errors-page.ts';

const page = new URL('../../../docs/errors.md', import.meta.url).pathname;

test('docs/errors.md matches the declared codes', async () => {
  await expect(await errorsPage()).toMatchFileSnapshot(page);
});

test.each(Object.entries(errorCodes))(
  'the text of %s is one sentence of less than 140 characters',
  (_code, { text }) => {
    expect(text).toMatch(/^[A-Z`].*[.]$/);
    expect(text.length).toBeLessThan(140);
    expect(text).not.toContain('|');
  },
);

test('no route declares a code that its access, body or parameters imply', async () => {
  for (const route of await declaredRoutes()) {
    const { errors, ...plain } = route;
    const implied = errorsOf(plain);
    for (const group of [errors ?? []].flat())
      for (const [status, codes] of Object.entries(group))
        for (const code of codes ?? [])
          expect(implied.get(Number(status)) ?? [], `${route.operation_id} ${code}`).not.toContain(
            code,
          );
  }
});
