import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withReauthentication } from '../../api/reauthentication.ts';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { pathOf } from '../organizations.ts';
import { MemberSelect } from '../parts/member-select.tsx';
import { useOrganization } from '../use-organization.ts';

/** Makes another member the Owner, after the organization's name was typed. */
export function Transfer() {
  const { t } = useTranslation();
  const { id, name } = useOrganization();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const [account_id, setMember] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const transfer = useMutation({
    mutationFn: () =>
      withReauthentication((proof) =>
        request<void>(pathOf(id, '/transfer-ownership'), {
          method: 'POST',
          body: { account_id, ...proof },
        }),
      ),
    async onSuccess() {
      notifications.show({ message: t('org_settings.transferred') });
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="light" onClick={dialog.open}>
        {t('org_settings.transfer')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t('org_settings.transfer_title', { name })}
          name={name}
          typeLabel={t('key.revoke_type', { name })}
          action={t('org_settings.transfer')}
          isPending={transfer.isPending}
          error={transfer.error}
          onConfirm={() => {
            setMissing(account_id === null);
            if (account_id !== null) transfer.mutate();
          }}
          onClose={dialog.close}
        >
          <Text size="sm">{t('org_settings.transfer_body')}</Text>
          <MemberSelect
            value={account_id}
            error={isMissing && account_id === null && t('form.required')}
            onChange={setMember}
          />
        </ConfirmDialog>
      )}
    </>
  );
}
