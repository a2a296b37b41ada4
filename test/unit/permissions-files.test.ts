import { expect, test } from 'vitest';
import { modelFiles } from '../model/model-files.ts';
import { permissionMatrix } from '../model/permission-matrix.ts';

const root = new URL('../../', import.meta.url);

test.each(Object.entries(modelFiles()))(
  'authz-model/%s matches the table of permissions',
  async (name, text) => {
    await expect(text).toMatchFileSnapshot(new URL(`authz-model/${name}`, root).pathname);
  },
);

test('docs/permissions.md matches the table of permissions', async () => {
  await expect(permissionMatrix()).toMatchFileSnapshot(
    new URL('docs/permissions.md', root).pathname,
  );
});
