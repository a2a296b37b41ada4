import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Page } from '../parts/page.tsx';
import { useServerForm } from '../parts/use-server-form.ts';
import { createOrganization, organizationsQuery } from './organizations.ts';

/** Creates an organization, which the person then owns. */
export function NewOrganizationPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: '' },
    send: createOrganization,
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: organizationsQuery.queryKey });
      await navigate({ to: '/app/org/$organizationId', params: { organizationId: id } });
    },
  });
  return (
    <Page title={t('space.create')}>
      <form onSubmit={submit}>
        <Stack maw={480}>
          <Text c="dimmed">{t('org.create_body')}</Text>
          {error !== null && <ErrorAlert error={error} />}
          <TextInput
            label={t('form.name')}
            description={t('org.name_hint')}
            required
            maxLength={100}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Button type="submit" loading={isPending}>
            {t('space.create')}
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
