import { expect, test } from 'vitest';
import { modelFiles } from '../../src/authz/families.ts';
import { permissionMatrix } from '../../src/authz/permission-matrix.ts';

const root = new URL('../../', import.meta.url);

test.each(Object.entries(modelFiles()))(
  'authz-model/%s is what the table of permissions generates',
  async (name, text) => {
    await expect(text).toMatchFileSnapshot(new URL(`authz-model/${name}`, root).pathname);
  },
);

test('docs/permissions.md is what the table of permissions prints', async () => {
  await expect(permissionMatrix()).toMatchFileSnapshot(
    new URL('docs/permissions.md', root).pathname,
  );
});
