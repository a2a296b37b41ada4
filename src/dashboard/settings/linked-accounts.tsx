import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Identity } from '../../accounts/identities/schema.ts';
import { serviceQuery } from '../api/service.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { Section } from './section.tsx';
import { identitiesQuery, linkIdentity, unlinkIdentity } from './sign-in-methods.ts';
import { Loading } from '../parts/loading.tsx';

/** Accounts at third parties that sign in to this one. */
export function LinkedAccounts() {
  const { t } = useTranslation();
  const { data: service } = useQuery(serviceQuery);
  const identities = useQuery(identitiesQuery);
  const link = useMutation({
    mutationFn: linkIdentity,
    onSuccess: ({ location: address }) => location.assign(address),
  });
  const linked = identities.data ?? [];
  const others = (service?.providers ?? []).filter(({ id }) =>
    linked.every(({ provider }) => provider !== id),
  );
  return (
    <Section title={t('security.linked')} body={t('security.linked_body')}>
      {identities.isError && (
        <ErrorAlert error={identities.error} onRetry={() => void identities.refetch()} />
      )}
      {identities.isPending && <Loading height={60} />}
      {identities.isSuccess && linked.length === 0 && (
        <Text size="sm">
          {t(others.length === 0 ? 'security.no_providers' : 'security.none_linked')}
        </Text>
      )}
      {linked.length > 0 && (
        <ul className="card list rows">
          {linked.map((identity) => (
            <IdentityRow key={identity.id} identity={identity} />
          ))}
        </ul>
      )}
      {link.isError && <ErrorAlert error={link.error} />}
      {others.length > 0 && (
        <Group gap="xs">
          {others.map(({ id, name }) => (
            <Button
              key={id}
              variant="default"
              loading={link.isPending && link.variables === id}
              onClick={() => link.mutate(id)}
            >
              {t('security.link', { provider: name })}
            </Button>
          ))}
        </Group>
      )}
    </Section>
  );
}

function IdentityRow({ identity }: { identity: Identity }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const { id, name, created_at, last_used_at } = identity;
  const unlink = useMutation({
    mutationFn: () => unlinkIdentity(id),
    async onSuccess() {
      dialog.close();
      notifications.show({ message: t('security.unlinked', { name }) });
      await queries.invalidateQueries();
    },
  });
  return (
    <li className="list-row">
      <Group justify="space-between" gap="sm">
        <div className="section-text">
          <Text fw={600}>
            <bdi>{name}</bdi>
          </Text>
          <Text size="sm" c="dimmed">
            {t('security.added')} <Moment at={created_at} />
            {last_used_at !== null && (
              <>
                {' · '}
                {t('security.used')} <Moment at={last_used_at} />
              </>
            )}
          </Text>
        </div>
        <Button
          size="xs"
          color="red"
          variant="light"
          aria-label={t('security.unlink_one', { name })}
          onClick={dialog.open}
        >
          {t('security.unlink')}
        </Button>
      </Group>
      {isOpen && (
        <ConfirmDialog
          title={t('security.unlink_title', { name })}
          name={name}
          typeLabel={t('security.type', { name })}
          action={t('security.unlink')}
          isPending={unlink.isPending}
          error={unlink.error}
          onConfirm={() => unlink.mutate()}
          onClose={dialog.close}
        >
          <Text size="sm">{t('security.unlink_body')}</Text>
        </ConfirmDialog>
      )}
    </li>
  );
}
