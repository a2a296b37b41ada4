import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { capabilities, permissions as tables } from '../../../authz/permissions.ts';
import { PermissionMatrix } from '../../parts/permission-matrix.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { ChangePreview } from '../parts/change-preview.tsx';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import type { Role, RoleKind } from './role-kinds.ts';

export type RoleFields = Pick<Role, 'name' | 'description' | 'permissions' | 'capabilities'>;

/** The fields of a role, for creating and for editing it; `previewPath` is that of a saved role. */
export function RoleForm({
  kind,
  saved,
  action,
  previewPath,
  send,
  onSaved,
}: {
  kind: RoleKind;
  saved: RoleFields;
  action: string;
  previewPath?: string | undefined;
  send(changed: Partial<RoleFields>): Promise<Role>;
  onSaved(role: Role): void | Promise<void>;
}) {
  const { t } = useTranslation();
  const { held } = useOrganization();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: fieldsOf(saved),
    send: (values) => send(changesOf(fieldsOf(saved), values)),
    onSuccess: onSaved,
  });
  const changed = changesOf(fieldsOf(saved), form.values);
  const isChanged = Object.keys(changed).length > 0;
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        {error !== null && <Problem error={error} />}
        <Stack maw={560}>
          <TextInput
            label={t('form.name')}
            required
            maxLength={64}
            {...form.getInputProps('name')}
          />
          <Textarea
            label={t('roles.description')}
            autosize
            maxLength={500}
            {...form.getInputProps('description')}
          />
        </Stack>
        <Checkbox.Group
          label={t('new_key.capabilities')}
          description={t('roles.capabilities_hint')}
          {...form.getInputProps('capabilities')}
        >
          <Group mt="xs" gap="lg">
            {capabilities.map((one) => (
              <Checkbox key={one} value={one} label={t(`capability.${one}`)} />
            ))}
          </Group>
        </Checkbox.Group>
        <PermissionMatrix
          table={tables[kind]}
          label={t('roles.permissions')}
          held={kind === 'organization' ? held : null}
          error={form.errors['permissions']}
          value={form.values.permissions}
          onChange={(permissions) => form.setFieldValue('permissions', permissions)}
        />
        <RoleHints kind={kind} />
        {previewPath !== undefined && isChanged && (
          <ChangePreview path={previewPath} body={changed} />
        )}
        <SaveBar errors={form.errors}>
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
        </SaveBar>
      </Stack>
    </form>
  );
}

/** What the table of a role does not say by itself. */
export function RoleHints({ kind }: { kind: RoleKind }) {
  const { t } = useTranslation();
  const { id, may } = useOrganization();
  if (kind === 'organization')
    return (
      <Text size="sm" c="dimmed">
        {t('roles.owner_only')}
      </Text>
    );
  const permission = t('errors.permission', { noun: t('noun.keys'), verb: t('verb.create') });
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t('roles.promote_hint', { promote: t('verb.promote') })}
      </Text>
      <Text size="sm" c="dimmed">
        {t('roles.keys_hint', { permission })}{' '}
        {may('can_view_organization_roles') && (
          <Link
            to="/app/org/$organizationId/roles"
            params={{ organizationId: id }}
            className="text-link"
          >
            {t('space.roles')}
          </Link>
        )}
      </Text>
    </Stack>
  );
}

const fieldsOf = ({ name, description, permissions, capabilities: chosen }: RoleFields) => ({
  ...{ name, description, permissions },
  capabilities: chosen,
});

/** Only what differs is sent, so that nothing is given again that the person does not hold. */
function changesOf(saved: RoleFields, values: RoleFields): Partial<RoleFields> {
  const asSet = (value: string | readonly string[]) =>
    typeof value === 'string' ? value : value.toSorted().join();
  const fields = Object.entries(values) as [keyof RoleFields, string | string[]][];
  return Object.fromEntries(
    fields.filter(([field, value]) => asSet(value) !== asSet(saved[field])),
  );
}
