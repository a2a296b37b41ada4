import { Alert, Anchor, Button, Checkbox, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Suspense, useMemo } from 'react';
import type { FormEventHandler, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { capabilities } from '../../authz/permissions.ts';
import type { KeyPreview, KeyTeam } from '../../keys/schema.ts';
import { AgentField, agentSummary } from './agent-field.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { GrantsField } from './grants-field.tsx';
import type { KeyValues } from './key-values.ts';
import { ListingField } from './listing-field.tsx';
import { NextToPreview } from './next-to-preview.tsx';
import type { PreviewState } from './next-to-preview.tsx';
import { Problem } from '../organizations/parts/problem.tsx';
import { TeamsField } from '../organizations/parts/teams-field.tsx';
import { useOwner } from '../organizations/use-owner.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Loading } from '../parts/loading.tsx';
import { onDemand } from '../parts/on-demand.tsx';
import { Policies } from './policies.tsx';
import { restrictionSummary } from '../parts/restriction-summary.ts';
import { SaveBar } from '../parts/save-bar.tsx';
import { Section } from '../parts/section.tsx';
import { useNeedsTeam, withoutTeamErrors } from './use-needs-team.ts';
import { listOf } from '../texts/texts.ts';
import type { Translate } from '../texts/texts.ts';

const POLICY_FIELDS = ['tool_policy', 'resource_policy', 'prompt_policy', 'agent_policy'] as const;

const RESTRICTIONS = ['allowed_addresses', 'hours'] as const;

const RestrictionsField = onDemand(
  async () => (await import('../parts/restrictions-field.tsx')).RestrictionsField,
);

type Form = UseFormReturnType<KeyValues>;

/**
 * The form of a new or saved key of a person or an organization, next to what it will see. Only the
 * name must be filled in.
 */
export function KeyForm({
  form,
  onSubmit,
  error,
  isPending,
  action,
  title,
  preview,
  body,
  storedTeams = [],
  runsIn,
  status,
}: {
  form: Form;
  onSubmit: FormEventHandler<HTMLFormElement>;
  error: unknown;
  isPending: boolean;
  action: string;
  /** Heading of the preview. */
  title: string;
  preview: PreviewState;
  /** What is sent, and where. */
  body: { request: string; value: object };
  /** The teams of a saved key. */
  storedTeams?: readonly KeyTeam[];
  /** Chooses where a new key runs. */
  runsIn?: ReactNode;
  status?: ReactNode;
}) {
  const { t } = useTranslation();
  const { data } = preview;
  const needsTeam = useNeedsTeam(form.values, data?.errors);
  const shown = useMemo(
    () => (needsTeam && data !== undefined ? withoutTeamErrors(data) : data),
    [needsTeam, data],
  );
  return (
    <NextToPreview
      title={title}
      preview={{ ...preview, data: shown }}
      notice={
        needsTeam && (
          <Alert role="status" mb="sm">
            {t('key_form.needs_team')}
          </Alert>
        )
      }
    >
      <form onSubmit={onSubmit}>
        <Stack>
          {error !== null && <Problem error={error} />}
          <BasicFields form={form} />
          {runsIn}
          <ReachSection form={form} storedTeams={storedTeams} needsTeam={needsTeam} />
          <GrantsSection form={form} />
          <LastSections form={form} preview={preview.data} body={body} />
          {status}
          <SaveBar errors={form.errors} justify="space-between">
            <Button type="submit" loading={isPending}>
              {action}
            </Button>
            <Anchor href="#preview" size="sm" hiddenFrom="md">
              {t('key_form.see_preview')}
            </Anchor>
          </SaveBar>
        </Stack>
      </form>
    </NextToPreview>
  );
}

function BasicFields({ form }: { form: Form }) {
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

/** Policies of the key's own or, in an organization, the teams whose policies apply. */
function ReachSection({
  form,
  storedTeams,
  needsTeam,
}: {
  form: Form;
  storedTeams: readonly KeyTeam[];
  needsTeam: boolean;
}) {
  const { t } = useTranslation();
  const { organization } = useOwner();
  const { org_scope } = form.values;
  const fields = org_scope === null ? POLICY_FIELDS : (['team_ids'] as const);
  return (
    <Section
      title={t(org_scope === null ? 'key_form.policies' : 'space.teams')}
      summary={org_scope === null ? policySummary(form.values, t) : teamSummary(form.values, t)}
      hasError={needsTeam || fields.some((field) => form.errors[field] !== undefined)}
    >
      {org_scope === null ? (
        <Policies form={form} />
      ) : (
        <Stack gap="sm">
          <Text size="sm">{t('key_form.policies_of_teams')}</Text>
          <TeamsField
            organizationId={org_scope}
            actsForPerson={organization === null}
            stored={storedTeams}
            {...form.getInputProps('team_ids')}
            value={form.values.team_ids}
            error={form.errors['team_ids']}
          />
        </Stack>
      )}
    </Section>
  );
}

function GrantsSection({ form }: { form: Form }) {
  const { t } = useTranslation();
  const count = Object.values(form.values.grants).flat().length;
  return (
    <Section
      title={t('key_form.permissions')}
      summary={
        count === 0 ? t('key_form.permissions_none') : t('key_form.permissions_count', { count })
      }
      hasError={Object.keys(form.errors).some((field) => field.startsWith('grants'))}
    >
      <GrantsField form={form} />
    </Section>
  );
}

function LastSections({
  form,
  preview,
  body,
}: {
  form: Form;
  preview: KeyPreview | undefined;
  body: { request: string; value: object };
}) {
  const { t, i18n } = useTranslation();
  const { default_agent_id, tool_listing, expires_at } = form.values;
  const agents = preview?.visible.agents ?? [];
  const json = JSON.stringify(body.value, null, 2);
  return (
    <>
      <Section
        title={t('key_form.listing')}
        summary={t(`key_form.listing_${tool_listing}`)}
        hasError={form.errors['tool_listing'] !== undefined}
      >
        <ListingField form={form} />
      </Section>
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
      <Section
        title={t('restrictions.title')}
        summary={restrictionSummary(form.values, t)}
        hasError={RESTRICTIONS.some((field) => form.errors[field] !== undefined)}
      >
        <Suspense fallback={<Loading height={120} />}>
          <RestrictionsField
            value={form.values}
            errors={form.errors}
            onChange={(next) => form.setValues(next)}
          />
        </Suspense>
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

function policySummary(values: KeyValues, t: Translate): string {
  const limited = POLICY_FIELDS.filter((field) => values[field].mode !== 'all');
  return limited.length === 0
    ? t('key_form.policies_all')
    : t('key_form.policies_some', {
        families: listOf(limited.map((field) => t(`policy.${field}`))),
      });
}

const teamSummary = ({ team_ids }: KeyValues, t: Translate): string =>
  team_ids === null ? t('key_form.teams_all') : t('key_form.teams', { count: team_ids.length });
