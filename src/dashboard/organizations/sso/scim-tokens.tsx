import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CreatedToken, TokenRecord } from '../../../scim/tokens/schema.ts';
import { withReauthentication } from '../../api/reauthentication.ts';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf, wholeQuery } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { Loading } from '../../parts/loading.tsx';

/** Tokens with which a directory adds and removes members over SCIM. */
export function ScimTokens({ isAvailable, mayWrite }: { isAvailable: boolean; mayWrite: boolean }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const [revoked, setRevoked] = useState<TokenRecord | null>(null);
  const tokens = useQuery(wholeQuery<TokenRecord>(pathOf(id, '/sso/scim-tokens')));
  return (
    <Stack>
      {tokens.isError && <Problem error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.isPending && <Loading height={80} />}
      {tokens.data?.length === 0 && <Text className="card empty">{t('sso.no_tokens')}</Text>}
      {tokens.data !== undefined && tokens.data.length > 0 && (
        <div className="card list">
          {tokens.data.map((token) => (
            <Group key={token.id} className="list-row" justify="space-between" gap="sm">
              <div>
                <Text fw={600}>
                  <bdi>{token.name}</bdi>
                </Text>
                <Text size="sm" c="dimmed">
                  <Text span ff="monospace">
                    {token.prefix}…
                  </Text>{' '}
                  ·{' '}
                  {token.last_used_at === null ? (
                    t('keys.never_used')
                  ) : (
                    <Moment at={token.last_used_at} />
                  )}
                </Text>
              </div>
              {mayWrite && (
                <Button
                  size="compact-sm"
                  color="red"
                  variant="light"
                  aria-label={t('sso.revoke_of', { name: token.name })}
                  onClick={() => setRevoked(token)}
                >
                  {t('key.revoke')}
                </Button>
              )}
            </Group>
          ))}
        </div>
      )}
      {mayWrite && isAvailable && <NewToken />}
      {revoked !== null && <RevokeToken token={revoked} onClose={() => setRevoked(null)} />}
    </Stack>
  );
}

function NewToken() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: 'SCIM' },
    send: (body) =>
      withReauthentication((proof) =>
        request<CreatedToken>(pathOf(id, '/sso/scim-tokens'), { body: { ...body, ...proof } }),
      ),
    async onSuccess({ token }) {
      setSecret(token);
      await queries.invalidateQueries();
    },
  });
  return (
    <form onSubmit={submit}>
      <Stack maw={480}>
        {error !== null && <Problem error={error} />}
        <TextInput
          label={t('sso.token_name')}
          description={t('sso.token_hint')}
          required
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <Group>
          <Button type="submit" variant="default" loading={isPending}>
            {t('sso.create_token')}
          </Button>
        </Group>
      </Stack>
      {secret !== null && (
        <SecretDialog
          title={t('sso.token_title')}
          body={t('sso.token_body')}
          label={t('sso.token')}
          secret={secret}
          action={t('form.done')}
          onDone={() => setSecret(null)}
        />
      )}
    </form>
  );
}

function RevokeToken({
  token: { id: token_id, name },
  onClose,
}: {
  token: TokenRecord;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      request<void>(pathOf(id, `/sso/scim-tokens/${token_id}`), { method: 'DELETE' }),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      title={t('key.revoke_title', { name })}
      name={name}
      typeLabel={t('key.revoke_type', { name })}
      action={t('key.revoke')}
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{t('sso.revoke_body')}</Text>
    </ConfirmDialog>
  );
}
