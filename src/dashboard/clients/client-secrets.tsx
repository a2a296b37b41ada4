import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRecord } from '../../oauth/clients/schema.ts';
import { clientPath, clientQuery, createSecret, deleteSecret } from './clients.ts';
import { useOwner } from '../organizations/use-owner.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Moment } from '../parts/moment.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';

const MAX_SECRETS = 2;

type Secret = ClientRecord['secrets'][number];

/** The secrets of a confidential client: at most two, so that one can replace the other. */
export function ClientSecrets({ client }: { client: ClientRecord }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const owner = useOwner();
  const path = clientPath(owner, `/${client.id}`);
  const mayChange = owner.lacks('update', 'oauth_clients') === null;
  const idempotencyKey = useRef(crypto.randomUUID());
  const [shown, setShown] = useState<string | null>(null);
  const [leaving, setLeaving] = useState<Secret | null>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: clientQuery(path).queryKey });
  const create = useMutation({
    mutationFn: () => createSecret(path, idempotencyKey.current),
    async onSuccess({ client_secret }) {
      idempotencyKey.current = crypto.randomUUID();
      setShown(client_secret);
      // Nothing may keep the secret once the dialog is closed.
      create.reset();
      await refresh();
    },
  });
  const remove = useMutation({
    mutationFn: (secret: Secret) => deleteSecret(path, secret.id),
    async onSuccess() {
      setLeaving(null);
      await refresh();
    },
  });
  const isFull = client.secrets.length >= MAX_SECRETS;
  return (
    <section aria-labelledby="secrets">
      <Title order={2} id="secrets" mb={4}>
        {t('client.secrets')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t(isFull ? 'client.secrets_full' : 'client.secrets_hint')}
      </Text>
      <Stack gap="sm" align="start">
        {create.isError && <ErrorAlert error={create.error} />}
        <ul className="card list steps" style={{ inlineSize: '100%' }}>
          {client.secrets.map((secret) => (
            <li key={secret.id} className="list-row">
              <Group justify="space-between" gap="sm">
                <div>
                  <Text size="sm" ff="monospace">
                    {secret.prefix}…
                  </Text>
                  <Text size="xs" c="dimmed">
                    {t('key.created')}: <Moment at={secret.created_at} /> · {t('key.last_used')}:{' '}
                    {secret.last_used_at === null ? (
                      t('key.never')
                    ) : (
                      <Moment at={secret.last_used_at} />
                    )}
                  </Text>
                </div>
                {mayChange && (
                  <Button
                    size="compact-sm"
                    variant="light"
                    color="red"
                    aria-label={t('client.delete_secret', { prefix: secret.prefix })}
                    onClick={() => setLeaving(secret)}
                  >
                    {t('client.delete')}
                  </Button>
                )}
              </Group>
            </li>
          ))}
          {client.secrets.length === 0 && (
            <li className="list-row">
              <Text size="sm">{t('client.no_secrets')}</Text>
            </li>
          )}
        </ul>
        {mayChange && !isFull && (
          <Button variant="default" loading={create.isPending} onClick={() => create.mutate()}>
            {t('client.new_secret')}
          </Button>
        )}
      </Stack>
      {shown !== null && (
        <SecretDialog
          title={t('client.secret_title')}
          body={t('client.secret_body')}
          label={t('client.secret_label')}
          secret={shown}
          action={t('form.done')}
          onDone={() => setShown(null)}
        />
      )}
      {leaving !== null && (
        <ConfirmDialog
          title={t('client.delete_secret', { prefix: leaving.prefix })}
          name={leaving.prefix}
          typeLabel={t('key.revoke_type', { name: leaving.prefix })}
          action={t('client.delete_secret_action')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving)}
          onClose={() => setLeaving(null)}
        >
          <Text size="sm">{t('client.delete_secret_body')}</Text>
        </ConfirmDialog>
      )}
    </section>
  );
}
