import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import type { DomainRecord } from '../../../sso/domains/schema.ts';
import { withReauthentication } from '../../api/reauthentication.ts';
import { request } from '../../api/request.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import type { Sso } from './sso.ts';

type Domain = z.infer<typeof DomainRecord>;

/** E-mail domains whose addresses sign in at the organization's identity provider. */
export function Domains({ sso, mayWrite }: { sso: Sso; mayWrite: boolean }) {
  const { t } = useTranslation();
  const [deleted, setDeleted] = useState<string | null>(null);
  return (
    <Stack>
      {sso.domains.length === 0 && <Text className="card empty">{t('sso.no_domains')}</Text>}
      {sso.domains.length > 0 && (
        <div className="card list">
          {sso.domains.map((domain) => (
            <DomainRow
              key={domain.domain}
              domain={domain}
              mayWrite={mayWrite}
              onDelete={() => setDeleted(domain.domain)}
            />
          ))}
        </div>
      )}
      {mayWrite && sso.available && <Claim />}
      {deleted !== null && <DeleteDomain domain={deleted} onClose={() => setDeleted(null)} />}
    </Stack>
  );
}

function DomainRow({
  domain: { domain, txt_name, txt_value, verified_at },
  mayWrite,
  onDelete,
}: {
  domain: Domain;
  mayWrite: boolean;
  onDelete(): void;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: () =>
      withReauthentication((proof) =>
        request<Domain>(pathOf(id, `/sso/domains/${encodeURIComponent(domain)}/verify`), {
          method: 'POST',
          body: proof,
        }),
      ),
    onSuccess: () => queries.invalidateQueries(),
  });
  const isVerified = verified_at !== null;
  return (
    <div className="list-row">
      <Group justify="space-between" gap="sm">
        <Text fw={600}>
          <bdi>{domain}</bdi>{' '}
          <Badge size="sm" variant="light" color={isVerified ? 'teal' : 'gray'} tt="none">
            {t(isVerified ? 'sso.verified' : 'sso.not_verified')}
          </Badge>
        </Text>
        {mayWrite && (
          <Group gap="xs">
            {!isVerified && (
              <Button
                size="compact-sm"
                variant="default"
                loading={verify.isPending}
                aria-label={t('sso.verify_of', { name: domain })}
                onClick={() => verify.mutate()}
              >
                {t('sso.verify')}
              </Button>
            )}
            <Button
              size="compact-sm"
              color="red"
              variant="light"
              aria-label={t('sso.delete_of', { name: domain })}
              onClick={onDelete}
            >
              {t('sso.delete')}
            </Button>
          </Group>
        )}
      </Group>
      {!isVerified && (
        <Text size="sm" c="dimmed">
          {t('sso.txt')} <bdi dir="ltr">{txt_name}</bdi> <bdi dir="ltr">{txt_value}</bdi>
        </Text>
      )}
      {verify.isError && <Problem error={verify.error} />}
    </div>
  );
}

function Claim() {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { domain: '' },
    send: (body) =>
      withReauthentication((proof) =>
        request<Domain>(pathOf(id, '/sso/domains'), { body: { ...body, ...proof } }),
      ),
    async onSuccess() {
      form.reset();
      await queries.invalidateQueries();
    },
  });
  return (
    <form onSubmit={submit}>
      <Stack maw={480}>
        {error !== null && <Problem error={error} />}
        <TextInput
          label={t('sso.domain')}
          description={t('sso.domain_hint')}
          required
          dir="ltr"
          {...form.getInputProps('domain')}
        />
        <Group>
          <Button type="submit" variant="default" loading={isPending}>
            {t('sso.claim')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DeleteDomain({ domain, onClose }: { domain: string; onClose(): void }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      withReauthentication((proof) =>
        request<void>(pathOf(id, `/sso/domains/${encodeURIComponent(domain)}`), {
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
      title={t('roles.delete_title', { name: domain })}
      name={domain}
      typeLabel={t('key.revoke_type', { name: domain })}
      action={t('sso.delete')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">{t('sso.delete_domain_body')}</Text>
    </ConfirmDialog>
  );
}
