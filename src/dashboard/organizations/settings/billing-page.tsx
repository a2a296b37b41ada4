import { Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { OWNER_ROLE } from '../../../caller/system-roles.ts';
import type { BillingRecord } from '../../../organizations/billing/schema.ts';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { pathOf } from '../organizations.ts';
import { Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { Loading } from '../../parts/loading.tsx';

const CONTACT = ['name', 'email', 'address', 'tax_id'] as const;

/** The plan with its limits, and the contact that invoices name. */
export function BillingPage() {
  const { t } = useTranslation();
  const { id, name } = useOrganization();
  const billing = useQuery({
    queryKey: ['billing', id],
    queryFn: ({ signal }) => request<BillingRecord>(pathOf(id, '/billing'), { signal }),
  });
  return (
    <Page title={t('billing.title', { name })}>
      {billing.isError && <Problem error={billing.error} onRetry={() => void billing.refetch()} />}
      {billing.isPending && <Loading height={240} />}
      {billing.data !== undefined && (
        <Stack gap="xl">
          <Limits billing={billing.data} />
          <section aria-labelledby="contact">
            <Title order={2} id="contact" mb="sm">
              {t('billing.contact')}
            </Title>
            <Contact contact={billing.data.contact} />
          </section>
        </Stack>
      )}
    </Page>
  );
}

function Limits({ billing: { plan, limits } }: { billing: BillingRecord }) {
  const { t, i18n } = useTranslation();
  const { tool_calls } = limits;
  const figures = [
    [t('billing.month'), tool_calls.month],
    [t('billing.day'), tool_calls.day],
    [t('billing.hour'), tool_calls.hour],
    [t('billing.minute'), tool_calls.minute],
    [t('billing.reads'), limits.content_reads.minute],
    [t('billing.items'), limits.items],
    [t('billing.members'), limits.members],
  ] as const;
  return (
    <dl className="card facts">
      <div>
        <dt>{t('org.plan')}</dt>
        <dd>{t(`org.plan_${plan}`)}</dd>
      </div>
      {figures.map(([label, count]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{count.toLocaleString(i18n.resolvedLanguage)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Contact({ contact }: { contact: BillingRecord['contact'] }) {
  const { t } = useTranslation();
  const { id, organization } = useOrganization();
  const queries = useQueryClient();
  const isOwner = organization.membership.roles.some((role) => role.id === OWNER_ROLE);
  const { form, submit, isPending, error } = useServerForm({
    initialValues: {
      name: contact.name ?? '',
      email: contact.email ?? '',
      address: contact.address ?? '',
      tax_id: contact.tax_id ?? '',
    },
    fieldOf: ([, field]) => CONTACT.find((one) => one === field) ?? null,
    send: (values) =>
      request<BillingRecord>(pathOf(id, '/billing'), {
        method: 'PATCH',
        body: {
          contact: Object.fromEntries(
            Object.entries(values).map(([field, value]) => [field, value.trim() || null]),
          ),
        },
      }),
    async onSuccess() {
      notifications.show({ message: t('billing.saved') });
      await queries.invalidateQueries();
    },
  });
  return (
    <form onSubmit={submit}>
      <Stack maw={480}>
        {!isOwner && (
          <Text size="sm" c="dimmed">
            {t('billing.owner_only')}
          </Text>
        )}
        {error !== null && <Problem error={error} />}
        {CONTACT.map((field) =>
          field === 'address' ? (
            <Textarea
              key={field}
              label={t('billing.address')}
              autosize
              minRows={2}
              readOnly={!isOwner}
              {...form.getInputProps(field)}
            />
          ) : (
            <TextInput
              key={field}
              label={t(`billing.${field}`)}
              readOnly={!isOwner}
              {...form.getInputProps(field)}
            />
          ),
        )}
        {isOwner && (
          <Group>
            <Button type="submit" loading={isPending}>
              {t('form.save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
