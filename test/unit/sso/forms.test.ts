import { expect, test } from 'vitest';
import { declaredRoutes } from '../../support/declared-routes.ts';

test('the ACS is the only route with a form, which pages of any site may post (identity.md 4)', async () => {
  const forms = (await declaredRoutes()).filter(({ form_bytes }) => form_bytes !== undefined);

  expect(forms.map(({ method, path, access }) => [method, path, access])).toEqual([
    ['POST', '/api/auth/sso/{connection_id}/acs', 'public'],
  ]);
});
