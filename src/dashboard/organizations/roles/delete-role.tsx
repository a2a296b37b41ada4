import { Button, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OWNER_ROLE } from '../../../caller/system-roles.ts';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { wholeQuery } from '../organizations.ts';
import { roleName } from './role-name.ts';
import type { Role, RolePlace } from './role-kinds.ts';

/** Deletes a role; those who have it get another one instead. */
export function DeleteRole({
  place,
  role,
  onDeleted,
}: {
  place: RolePlace;
  role: Role;
  onDeleted(): void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const [replacement, setReplacement] = useState<string | null>(null);
  const { data: roles = [] } = useQuery({
    ...wholeQuery<Role>(place.api),
    enabled: isOpen,
  });
  const remove = useMutation({
    mutationFn: () =>
      request<void>(
        `${place.api}/${role.id}${replacement === null ? '' : `?replace_with=${replacement}`}`,
        { method: 'DELETE' },
      ),
    async onSuccess() {
      onDeleted();
      queries.removeQueries({ queryKey: ['role', place.api, role.id] });
      await queries.invalidateQueries();
    },
  });
  const { name } = role;
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('roles.delete')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('roles.delete_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('roles.delete')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('roles.delete_body', { count: role.members })}</Text>
          <Select
            label={t('roles.replace')}
            description={t('roles.replace_hint')}
            clearable
            data={roles
              .filter((one) => one.id !== role.id && one.id !== OWNER_ROLE)
              .map((one) => ({ value: one.id, label: roleName(one, t) }))}
            value={replacement}
            onChange={setReplacement}
          />
        </ConfirmDialog>
      )}
    </>
  );
}
