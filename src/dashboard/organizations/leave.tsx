import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { profileQuery } from '../api/session.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { removeMember } from './members/members.ts';
import { useOrganization } from './use-organization.ts';

/** Leaves the organization; the Owner transfers it first, which the service says. */
export function Leave() {
  const { t } = useTranslation();
  const { id, name } = useOrganization();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: account } = useQuery(profileQuery);
  const [isOpen, dialog] = useDisclosure(false);
  const leave = useMutation({
    mutationFn: (account_id: string) => removeMember(id, account_id),
    async onSuccess() {
      await navigate({ to: '/app' });
      await queries.invalidateQueries();
    },
  });
  if (account === undefined) return null;
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('org.leave')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('org.leave_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('org.leave')}
          isPending={leave.isPending}
          error={leave.error}
          onConfirm={() => leave.mutate(account.id)}
          onClose={dialog.close}
        >
          <Text size="sm">{t('org.leave_body')}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
