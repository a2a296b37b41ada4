import { Button, Group, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { personalPermissions } from '../../authz/permissions.ts';
import { presets } from './key-search.ts';
import { presetPermissions } from './key-values.ts';
import type { KeyValues } from './key-values.ts';
import { PermissionMatrix } from '../parts/permission-matrix.tsx';

/** The permissions of a key in its owner's account. */
export function GrantsField({
  form,
  hasOthers,
}: {
  form: UseFormReturnType<KeyValues>;
  hasOthers: boolean;
}) {
  const { t } = useTranslation();
  const choose = (permissions: string[]) => form.setFieldValue('permissions', permissions);
  return (
    <Stack gap="sm" data-path="permissions" tabIndex={-1}>
      <Text size="sm" c="dimmed">
        {t('key_form.permissions_hint')}
      </Text>
      <Group gap="xs" role="group" aria-label={t('key_form.preset')}>
        {presets.map((preset) => (
          <Button
            key={preset}
            size="compact-xs"
            variant="default"
            onClick={() => choose(presetPermissions(preset))}
          >
            {t(`key_form.preset_${preset}`)}
          </Button>
        ))}
      </Group>
      <PermissionMatrix
        table={personalPermissions}
        nameOf={({ grant }) => grant}
        selected={form.values.permissions}
        onChange={choose}
        label={t('key_form.permissions')}
      />
      {form.errors['permissions'] !== undefined && (
        <Text size="sm" c="red" role="alert">
          {form.errors['permissions']}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {t('key_form.never_grantable')} {hasOthers && t('key_form.other_grants')}
      </Text>
    </Stack>
  );
}
