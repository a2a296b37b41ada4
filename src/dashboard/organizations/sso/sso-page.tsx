import { Alert, Stack, Switch, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { withReauthentication } from '../../api/reauthentication.ts';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { pathOf } from '../organizations.ts';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { Connections } from './connections.tsx';
import { Domains } from './domains.tsx';
import { ScimTokens } from './scim-tokens.tsx';
import type { Sso } from './sso.ts';
import { Loading } from '../../parts/loading.tsx';

/** Identity providers, e-mail domains, whether members must use them, and directories. */
export function SsoPage() {
  const { t } = useTranslation();
  const { id, name, may } = useOrganization();
  const sso = useQuery({
    queryKey: ['sso', id],
    queryFn: ({ signal }) => request<Sso>(pathOf(id, '/sso'), { signal }),
  });
  const mayWrite = may('can_update_organization_sso');
  return (
    <Page title={t('sso.title', { name })}>
      {sso.isError && <Problem error={sso.error} onRetry={() => void sso.refetch()} />}
      {sso.isPending && <Loading height={240} />}
      {sso.data !== undefined && (
        <Stack gap="xl">
          {!sso.data.available && <Alert role="status">{t('sso.not_in_plan')}</Alert>}
          {!mayWrite && <NeedsPermission permission="can_update_organization_sso" />}
          <Section id="connections" title={t('sso.connections')}>
            <Connections sso={sso.data} mayWrite={mayWrite} />
          </Section>
          <Section id="domains" title={t('sso.domains')}>
            <Domains sso={sso.data} mayWrite={mayWrite} />
          </Section>
          <Section id="enforcement" title={t('sso.enforcement')}>
            <Enforcement sso={sso.data} mayWrite={mayWrite} />
          </Section>
          <Section id="scim" title={t('sso.scim')}>
            <ScimTokens isAvailable={sso.data.available} mayWrite={mayWrite} />
          </Section>
        </Stack>
      )}
    </Page>
  );
}

const Section = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section aria-labelledby={id}>
    <Title order={2} id={id} mb="sm">
      {title}
    </Title>
    {children}
  </section>
);

function Enforcement({ sso, mayWrite }: { sso: Sso; mayWrite: boolean }) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (enforced: boolean) =>
      withReauthentication((proof) =>
        request<Sso>(pathOf(id, '/sso'), { method: 'PATCH', body: { enforced, ...proof } }),
      ),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Stack gap="xs">
      {change.isError && <Problem error={change.error} />}
      <Switch
        label={t('sso.enforced')}
        description={t('sso.enforced_hint')}
        checked={sso.enforced}
        disabled={!mayWrite || (!sso.available && !sso.enforced)}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
    </Stack>
  );
}
