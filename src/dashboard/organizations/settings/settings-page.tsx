import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { OWNER_ROLE } from '../../../caller/system-roles.ts';
import type { OrganizationRecord } from '../../../organizations/schema.ts';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { Leave } from '../leave.tsx';
import { pathOf } from '../organizations.ts';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { DeleteOrganization } from './delete-organization.tsx';
import { Transfer } from './transfer.tsx';

/** The organization's name; leaving it, and for its Owner transferring and deleting it. */
export function OrganizationSettingsPage() {
  const { t } = useTranslation();
  const { organization, name, may } = useOrganization();
  const isOwner = organization.membership.roles.some(({ id }) => id === OWNER_ROLE);
  return (
    <Page title={t('org_settings.title', { name })}>
      <Stack gap="xl">
        {may('can_update_organization') ? (
          <Rename />
        ) : (
          <NeedsPermission permission="can_update_organization" />
        )}
        {isOwner ? (
          <>
            <Section id="transfer" title={t('org_settings.transfer')}>
              <Text size="sm">{t('org_settings.transfer_body')}</Text>
              <Transfer />
            </Section>
            <Section id="delete" title={t('org_settings.delete')}>
              <Text size="sm">{t('org_settings.delete_body')}</Text>
              <DeleteOrganization />
            </Section>
          </>
        ) : (
          <Section id="leave" title={t('org.leave')}>
            <Text size="sm">{t('org.leave_body')}</Text>
            <Leave />
          </Section>
        )}
      </Stack>
    </Page>
  );
}

const Section = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section aria-labelledby={id} className="card section">
    <Title order={2} id={id}>
      {title}
    </Title>
    <Stack align="start" gap="sm">
      {children}
    </Stack>
  </section>
);

function Rename() {
  const { t } = useTranslation();
  const { id, name } = useOrganization();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name },
    send: (body) => request<OrganizationRecord>(pathOf(id), { method: 'PATCH', body }),
    async onSuccess() {
      notifications.show({ message: t('org_settings.renamed') });
      await queries.invalidateQueries();
    },
  });
  return (
    <form onSubmit={submit}>
      <Stack maw={480}>
        {error !== null && <Problem error={error} />}
        <TextInput
          label={t('form.name')}
          required
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <Group>
          <Button type="submit" loading={isPending}>
            {t('form.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
