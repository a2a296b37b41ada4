import { Alert, Anchor, Button, Checkbox, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { TextInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { FormEventHandler, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { capabilities } from '../../authz/permissions.ts';
import type { KeyEditPreview, KeyPreview } from '../../keys/schema.ts';
import { AgentField } from './agent-field.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { GrantsField } from './grants-field.tsx';
import { UNAVAILABLE } from './key-values.ts';
import type { KeyContext, KeyValues } from './key-values.ts';
import classes from './keys.module.css';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Policies } from './policies.tsx';
import { Preview } from './preview.tsx';
import { Section } from '../parts/section.tsx';
import type { Translate } from '../texts/texts.ts';

const POLICY_FIELDS = ['tool_policy', 'resource_policy', 'prompt_policy', 'agent_policy'] as const;

/** What the form of a key needs of the query that previews it. */
interface PreviewState {
  data: KeyPreview | KeyEditPreview | undefined;
  error: unknown;
  isPending: boolean;
}

/** The form of a new or saved key, next to what it will see. Only the name must be filled in. */
export function KeyForm({
  form,
  onSubmit,
  error,
  isPending,
  action,
  title,
  preview,
  body,
  context,
  runsIn,
  status,
}: {
  form: UseFormReturnType<KeyValues>;
  onSubmit: FormEventHandler<HTMLFormElement>;
  error: unknown;
  isPending: boolean;
  action: string;
  /** Heading of the preview. */
  title: string;
  preview: PreviewState;
  /** What is sent, and where. */
  body: { request: string; value: object };
  context: KeyContext;
  /** Chooses where a new key runs. */
  runsIn?: ReactNode;
  status?: ReactNode;
}) {
  const { t } = useTranslation();
  const runsThere = context.organization !== null;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      <form onSubmit={onSubmit}>
        <Stack>
          {error !== null && <ErrorAlert error={error} />}
          <BasicFields form={form} />
          {runsIn}
          <Section
            title={t('key_form.policies')}
            summary={policySummary(form.values, runsThere, t)}
            hasError={POLICY_FIELDS.some((field) => form.errors[field] !== undefined)}
          >
            {runsThere ? (
              <Text size="sm">{t('key_form.policies_of_teams')}</Text>
            ) : (
              <Policies form={form} />
            )}
          </Section>
          <Section
            title={t('key_form.permissions')}
            summary={
              form.values.permissions.length === 0
                ? t('key_form.permissions_none')
                : t('key_form.permissions_count', { count: form.values.permissions.length })
            }
            hasError={form.errors['permissions'] !== undefined}
          >
            <GrantsField form={form} hasOthers={context.others.length > 0} />
          </Section>
          <LastSections form={form} preview={preview.data} body={body} />
          {status}
          <Group className="save-bar" justify="space-between" gap="sm">
            <Button type="submit" loading={isPending}>
              {action}
            </Button>
            <Anchor href="#preview" size="sm" hiddenFrom="md">
              {t('key_form.see_preview')}
            </Anchor>
          </Group>
        </Stack>
      </form>
      <section aria-labelledby="preview" className={classes.preview}>
        <Title order={2} id="preview" mb="sm">
          {title}
        </Title>
        <Preview preview={preview.data} error={preview.error} isPending={preview.isPending} />
      </section>
    </SimpleGrid>
  );
}

function BasicFields({ form }: { form: UseFormReturnType<KeyValues> }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('form.name')}
        description={t('new_key.name_hint')}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Checkbox.Group label={t('new_key.capabilities')} {...form.getInputProps('mcp_capabilities')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {capabilities.map((capability) => (
            <Checkbox
              key={capability}
              value={capability}
              label={t(`capability.${capability}`)}
              description={t(`capability.${capability}_hint`)}
            />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </>
  );
}

function LastSections({
  form,
  preview,
  body,
}: {
  form: UseFormReturnType<KeyValues>;
  preview: KeyPreview | undefined;
  body: { request: string; value: object };
}) {
  const { t, i18n } = useTranslation();
  const { default_agent_id, expires_at } = form.values;
  const agents = preview?.visible.agents ?? [];
  const json = JSON.stringify(body.value, null, 2);
  return (
    <>
      <Section
        title={t('key_form.agent')}
        summary={agentSummary(default_agent_id, agents, t)}
        hasError={form.errors['default_agent_id'] !== undefined}
      >
        <AgentField form={form} reachable={agents} />
      </Section>
      <Section
        title={t('key_form.expiry')}
        summary={
          expires_at === null
            ? t('key_form.expiry_never')
            : new Date(expires_at).toLocaleDateString(i18n.resolvedLanguage, {
                dateStyle: 'medium',
              })
        }
        hasError={form.errors['expires_at'] !== undefined}
      >
        <ExpiryField form={form} />
      </Section>
      <Section title={t('key_form.review')} summary={t('key_form.review_summary')}>
        <Stack gap="xs" align="start">
          <Text size="sm">{t('key_form.review_hint', { request: body.request })}</Text>
          <pre
            className="card code"
            tabIndex={0}
            aria-label={t('key_form.review_summary')}
            style={{ inlineSize: '100%' }}
          >
            <code>{json}</code>
          </pre>
          <CopyButton text={json} />
        </Stack>
      </Section>
    </>
  );
}

function policySummary(values: KeyValues, runsInOrganization: boolean, t: Translate): string {
  if (runsInOrganization) return t('keys.runs_in_organization');
  const limited = POLICY_FIELDS.filter((field) => values[field].mode !== 'all');
  return limited.length === 0
    ? t('key_form.policies_all')
    : t('key_form.policies_some', {
        families: limited.map((field) => t(`policy.${field}`)).join(', '),
      });
}

function agentSummary(
  chosen: string | null,
  reachable: readonly { id: string; name: string }[],
  t: Translate,
): string {
  if (chosen === null) return t('key_form.agent_none');
  if (chosen === UNAVAILABLE) return t('key_form.agent_unavailable');
  return reachable.find(({ id }) => id === chosen)?.name ?? t('key_form.agent_unreachable');
}

/** Says that a saved key is unchanged, or was saved. */
export function SaveStatus({ text }: { text: string | null }) {
  return <div role="status">{text !== null && <Alert variant="light">{text}</Alert>}</div>;
}
