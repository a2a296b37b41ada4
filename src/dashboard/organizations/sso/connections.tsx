import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectionRecord } from '../../../sso/connections/schema.ts';
import { withReauthentication } from '../../api/reauthentication.ts';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { pathOf } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { ConnectionDialog } from './connection-dialog.tsx';
import type { Sso } from './sso.ts';

/** The organization's identity providers. */
export function Connections({ sso, mayWrite }: { sso: Sso; mayWrite: boolean }) {
  const { t } = useTranslation();
  const [isOpen, dialog] = useDisclosure(false);
  const [edited, setEdited] = useState<ConnectionRecord | null>(null);
  const [deleted, setDeleted] = useState<ConnectionRecord | null>(null);
  return (
    <Stack align="start">
      {sso.connections.length === 0 && (
        <Text className="card empty" w="100%">
          {t('sso.no_connections')}
        </Text>
      )}
      {sso.connections.map((connection) => (
        <Connection
          key={connection.id}
          connection={connection}
          mayWrite={mayWrite}
          onEdit={() => setEdited(connection)}
          onDelete={() => setDeleted(connection)}
        />
      ))}
      {mayWrite && sso.available && (
        <Button variant="default" onClick={dialog.open}>
          {t('sso.add_connection')}
        </Button>
      )}
      {isOpen && <ConnectionDialog saved={null} onClose={dialog.close} />}
      {edited !== null && <ConnectionDialog saved={edited} onClose={() => setEdited(null)} />}
      {deleted !== null && (
        <DeleteConnection connection={deleted} onClose={() => setDeleted(null)} />
      )}
    </Stack>
  );
}

function Connection({
  connection,
  mayWrite,
  onEdit,
  onDelete,
}: {
  connection: ConnectionRecord;
  mayWrite: boolean;
  onEdit(): void;
  onDelete(): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const test = useMutation({
    mutationFn: () =>
      request<{ url: string }>(pathOf(id, `/sso/connections/${connection.id}/test`), {
        body: { return_path: location.pathname },
      }),
    onSuccess: ({ url }) => location.assign(url),
  });
  const { name, protocol, oidc, saml, service_provider: own } = connection;
  const facts = [
    [t('sso.provider'), oidc?.issuer ?? saml?.entity_id ?? ''],
    ...(protocol === 'oidc'
      ? [[t('sso.callback_url'), own.callback_url] as const]
      : [
          [t('sso.entity_id'), own.entity_id] as const,
          [t('sso.acs_url'), own.acs_url] as const,
          [t('sso.metadata_url'), own.metadata_url] as const,
        ]),
  ] as const;
  return (
    <div className="card list" style={{ inlineSize: '100%' }}>
      <Group className="list-row" justify="space-between">
        <Text fw={600}>
          <bdi>{name}</bdi>{' '}
          <Badge size="sm" variant="default" tt="none">
            {t(`sso.${protocol}`)}
          </Badge>
        </Text>
        {mayWrite && (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('sso.test_of', { name })}
              loading={test.isPending}
              onClick={() => test.mutate()}
            >
              {t('sso.test')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('sso.edit_of', { name })}
              onClick={onEdit}
            >
              {t('sso.edit')}
            </Button>
            <Button
              size="compact-sm"
              color="red"
              variant="light"
              aria-label={t('sso.delete_of', { name })}
              onClick={onDelete}
            >
              {t('sso.delete')}
            </Button>
          </Group>
        )}
      </Group>
      {test.isError && <Problem error={test.error} />}
      <dl className="facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <bdi dir="ltr">{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function DeleteConnection({
  connection: { id: connection_id, name },
  onClose,
}: {
  connection: ConnectionRecord;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      withReauthentication((proof) =>
        request<void>(pathOf(id, `/sso/connections/${connection_id}`), {
          method: 'DELETE',
          body: proof,
        }),
      ),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      title={t('roles.delete_title', { name })}
      name={name}
      typeLabel={t('key.revoke_type', { name })}
      action={t('sso.delete')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{t('sso.delete_body')}</Text>
    </ConfirmDialog>
  );
}
