import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { withReauthentication } from '../../api/reauthentication.ts';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { pathOf } from '../organizations.ts';
import { useOrganization } from '../use-organization.ts';

/** Deletes the organization with everything in it, after its name was typed. */
export function DeleteOrganization() {
  const { t } = useTranslation();
  const { id, name } = useOrganization();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, dialog] = useDisclosure(false);
  const remove = useMutation({
    mutationFn: () =>
      withReauthentication((proof) =>
        request<void>(pathOf(id), { method: 'DELETE', body: { confirm: name, ...proof } }),
      ),
    async onSuccess() {
      await navigate({ to: '/app' });
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('org_settings.delete')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('roles.delete_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('org_settings.delete')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('org_settings.delete_body')}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
