import { Button, List, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Account } from '../../accounts/schema.ts';
import { withReauthentication } from '../api/reauthentication.ts';
import { request, RequestError } from '../api/request.ts';
import { forgetAccount } from '../api/session.ts';
import { dashboardQuery } from '../overview/dashboard.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Section } from './section.tsx';

/** What an account without an address types. */
const WITHOUT_ADDRESS = 'delete';

const deleteAccount = (confirm: string) =>
  withReauthentication((proof) =>
    request<void>('/api/user/account', { method: 'DELETE', body: { confirm, ...proof } }),
  );

/** Deletes the account for good, once its address was typed. */
export function DeleteAccount({ account }: { account: Account }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const name = account.email ?? WITHOUT_ADDRESS;
  const remove = useMutation({
    mutationFn: () => deleteAccount(name),
    async onSuccess() {
      await navigate({ to: '/sign-in' });
      forgetAccount(queries);
      notifications.show({ message: t('account_data.deleted') });
    },
  });
  return (
    <Section
      title={t('account_data.delete')}
      body={t('account_data.delete_body')}
      actions={
        <Button color="red" variant="light" onClick={dialog.open}>
          {t('account_data.delete_action')}
        </Button>
      }
    >
      {isOpen && (
        <ConfirmDialog
          title={t('account_data.delete_title')}
          name={name}
          typeLabel={t('security.type', { name })}
          action={t('account_data.delete_confirm')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={dialog.close}
        >
          <Effects />
          <OwnedOrganizations error={remove.error} />
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** What stops working. */
function Effects() {
  const { t } = useTranslation();
  const { data: dashboard } = useQuery(dashboardQuery);
  const items = Object.values(dashboard?.items ?? {}).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <Text size="sm">{t('account_data.stops')}</Text>
      <List size="sm">
        <List.Item>{t('account_data.stops_keys', { count: dashboard?.keys ?? 0 })}</List.Item>
        <List.Item>{t('account_data.stops_clients')}</List.Item>
        <List.Item>{t('account_data.stops_items', { count: items })}</List.Item>
        <List.Item>{t('account_data.stops_organizations')}</List.Item>
      </List>
      <Text size="sm" fw={600}>
        {t('account_data.final')}
      </Text>
    </>
  );
}

/** Organizations without another owner, which keep the account from being deleted. */
function OwnedOrganizations({ error }: { error: unknown }) {
  if (!(error instanceof RequestError) || error.code !== 'last_owner') return null;
  const organizations = error.errors[0]?.detail?.organizations ?? [];
  return (
    <List size="sm">
      {organizations.map(({ id, name }) => (
        <List.Item key={id}>
          <Link to="/app/org/$organizationId" params={{ organizationId: id }} className="text-link">
            <bdi>{name}</bdi>
          </Link>
        </List.Item>
      ))}
    </List>
  );
}
