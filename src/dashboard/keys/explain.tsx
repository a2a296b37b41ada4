import { Alert, Group, Select, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { capabilities } from '../../authz/permissions.ts';
import type { Explanation, KeyPreview } from '../../keys/schema.ts';
import type { ExplanationStep } from '../../visibility/schema.ts';
import { request } from '../api/request.ts';
import { explainedFamilies } from './key-search.ts';
import type { ExplainedFamily, ExplainSearch } from './key-search.ts';
import { AskedTeams, FixLink, isListOfTeams } from './fix-link.tsx';
import { StepRow } from './explain-step.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Loading } from '../parts/loading.tsx';
import { listOf } from '../texts/texts.ts';
import type { TextName } from '../texts/texts.ts';

/** Why a credential may or may not use an item; `path` is that of the credential. */
const explanationQuery = (path: string, family: ExplainedFamily, item: string) =>
  queryOptions({
    queryKey: ['explanation', path, family, item],
    queryFn: ({ signal }) =>
      request<Explanation>(`${path}/explain?${family}=${encodeURIComponent(item)}`, { signal }),
  });

/** Chooses an item of a credential's preview, and explains step by step what decides about it. */
export function Explain({
  path,
  preview,
  search,
  onSearch,
}: {
  path: string;
  preview: Pick<KeyPreview, 'visible' | 'hidden'> | undefined;
  search: ExplainSearch;
  onSearch(search: ExplainSearch): void;
}) {
  const { t } = useTranslation();
  const { family = 'tool', item } = search;
  const items = preview === undefined ? [] : itemsOf(preview, family);
  // An address may name the item as agents do.
  const known = items.find(({ value, label }) => value === item || label === item);
  return (
    <Stack>
      <Group align="end" gap="sm">
        <Select
          label={t('explain.family')}
          data={explainedFamilies.map((one) => ({ value: one, label: t(`explain.family_${one}`) }))}
          value={family}
          allowDeselect={false}
          w={150}
          onChange={(chosen) => {
            if (chosen !== null) onSearch({ family: chosen });
          }}
        />
        <Select
          label={t('explain.item')}
          description={t('explain.item_hint')}
          data={items}
          value={known?.value ?? null}
          searchable
          flex={1}
          miw={220}
          maw={480}
          nothingFoundMessage={t('picker.no_match')}
          onChange={(chosen) => onSearch({ family, ...(chosen === null ? {} : { item: chosen }) })}
        />
      </Group>
      {item === undefined ? (
        <Text c="dimmed">{t('explain.choose')}</Text>
      ) : (
        <Answer
          path={path}
          family={family}
          item={item}
          name={known?.label ?? item}
          fixUrl={preview?.hidden.find(({ id }) => id === known?.value)?.fix_url ?? null}
        />
      )}
    </Stack>
  );
}

/** All items that the viewer may know, by name; system tools are found by their name. */
function itemsOf(
  { visible, hidden }: Pick<KeyPreview, 'visible' | 'hidden'>,
  family: ExplainedFamily,
): { value: string; label: string }[] {
  const listed = visible[`${family}s`].map((item) => ({
    value: 'system' in item ? item.name : item.id,
    label: item.name,
  }));
  const others = hidden
    .filter((item) => item.family === family)
    .map(({ id, name }) => ({ value: id, label: name }));
  return [...listed, ...others].toSorted((a, b) => a.label.localeCompare(b.label));
}

function Answer({
  path,
  family,
  item,
  name,
  fixUrl,
}: {
  path: string;
  family: ExplainedFamily;
  item: string;
  name: string;
  /** Page on which the first reason can be changed. */
  fixUrl: string | null;
}) {
  const { t } = useTranslation();
  const explanation = useQuery(explanationQuery(path, family, item));
  if (explanation.isError)
    return <ErrorAlert error={explanation.error} onRetry={() => void explanation.refetch()} />;
  if (explanation.data === undefined) return <Loading height={200} />;
  const { outcome, steps } = explanation.data;
  const denials = steps.filter((step) => step.outcome === 'deny');
  return (
    <>
      <Alert
        role="status"
        color={outcome === 'allow' ? 'teal' : 'red'}
        icon={outcome === 'allow' ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
      >
        <Text fw={600}>{t(`explain.${outcome}`, { item: name })}</Text>
        {denials.length > 0 && (
          <Text size="sm">
            {t('explain.deny_because', {
              reasons: listOf(new Set(denials.map((step) => t(reasonOf(step))))),
            })}
          </Text>
        )}
        {denials.length > 0 && fixUrl !== null && !isListOfTeams(fixUrl) && (
          <FixLink url={fixUrl} />
        )}
        <AskedTeams step={denials.find(({ rule }) => rule === 'exposed')} fixUrl={fixUrl} />
      </Alert>
      <Title order={2}>{t('explain.steps')}</Title>
      <ol className="card list steps">
        {steps.map((step, index) => (
          <StepRow key={`${step.rule} ${index}`} step={step} />
        ))}
      </ol>
    </>
  );
}

/** Texts of the rules that are no permission or capability. */
const REASONS: Readonly<Record<string, TextName>> = {
  usable: 'explain.denied.usable',
  organization_active: 'explain.denied.organization_active',
  address_allowed: 'explain.denied.address_allowed',
  within_hours: 'explain.denied.within_hours',
  exists: 'explain.denied.exists',
  can_connect: 'reason.not_connected',
  selected: 'reason.not_selected',
  approved: 'reason.held',
  exposed: 'reason.not_exposed',
};

/** Returns the text for a step that denies. */
function reasonOf({ layer, rule }: ExplanationStep): TextName {
  if (layer === 'limit') return 'explain.denied.limit';
  if (layer === 'policy') return 'reason.key_policy';
  const isCapability = capabilities.some((one) => rule === `can_use_${one}`);
  return (
    REASONS[rule] ?? (isCapability ? 'reason.capability_missing' : 'reason.permission_missing')
  );
}
