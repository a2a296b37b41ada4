import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { KeyEditPreview, KeyPreview } from '../../keys/schema.ts';
import { FAMILIES, ItemLists } from './item-lists.tsx';
import type { Family } from './item-lists.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { Loading } from '../parts/loading.tsx';
import { listOf } from '../texts/texts.ts';

/**
 * What a credential sees and what stays hidden from it, with every reason. All numbers are the
 * service's; the last answer stays while the next one is read. It is not drawn again, with all its
 * names, while its properties are the same.
 */
export const Preview = memo(function Preview({
  preview,
  error,
  isPending,
  onRetry,
}: {
  preview: KeyPreview | KeyEditPreview | undefined;
  error: unknown;
  isPending: boolean;
  onRetry(): unknown;
}) {
  const { t } = useTranslation();
  if (error !== null && error !== undefined)
    return <ErrorAlert error={error} onRetry={() => void onRetry()} />;
  if (preview === undefined) return isPending ? <Loading height={180} /> : null;
  const { counts, visible, errors, warnings } = preview;
  const system = visible.tools.flatMap((tool) => (tool.system === true ? [tool.name] : []));
  const count = (family: Family) => t(`preview.${family}`, { count: counts.visible[family] });
  return (
    <Stack gap="sm">
      <Text fw={600} aria-live="polite" role="status">
        {listOf(FAMILIES.map(count))}
      </Text>
      <Text size="sm" c="dimmed">
        {t('preview.tokens', { count: preview.list_tokens })}
      </Text>
      {system.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('preview.includes_system', { names: listOf(system) })}
        </Text>
      )}
      {errors.length > 0 && (
        <Alert color="red" title={t('preview.errors')}>
          {errors.map(({ code, message }, index) => (
            <Text size="sm" key={`${code} ${index}`}>
              <CodeText text={message} />
            </Text>
          ))}
        </Alert>
      )}
      {warnings.map(({ code, message }, index) => (
        <Alert key={`${code} ${index}`} color="yellow" title={t(`warning.${code}`)}>
          <CodeText text={message} />
        </Alert>
      ))}
      {'gained' in preview && <Difference preview={preview} />}
      <ItemLists items={preview} reasonText={(reason) => t(`reason.${reason}`)} />
    </Stack>
  );
});

/** What an edit adds to, and takes from, what the saved key sees. */
function Difference({ preview: { gained, lost, counts } }: { preview: KeyEditPreview }) {
  const { t } = useTranslation();
  const total = (of: 'gained' | 'lost') =>
    FAMILIES.reduce((sum, family) => sum + counts[of][family], 0);
  if (total('gained') + total('lost') === 0)
    return <Text size="sm">{t('preview.no_difference')}</Text>;
  const parts = [
    { of: 'gained', items: gained, Icon: IconPlus, color: 'teal' },
    { of: 'lost', items: lost, Icon: IconMinus, color: 'red' },
  ] as const;
  return (
    <Stack gap="xs" className="card" p="sm">
      {parts
        .filter(({ of }) => total(of) > 0)
        .map(({ of, items, Icon, color }) => (
          <div key={of}>
            <Text size="sm" fw={600}>
              {t(`preview.${of}`, { count: total(of) })}
            </Text>
            <ul className="names">
              {FAMILIES.flatMap((family) => items[family]).map(({ id, name }) => (
                <li key={id}>
                  <Group gap={6} wrap="nowrap">
                    <Icon size={14} aria-hidden color={`var(--mantine-color-${color}-6)`} />
                    <Text size="sm">
                      <bdi>{name}</bdi>
                    </Text>
                  </Group>
                </li>
              ))}
            </ul>
          </div>
        ))}
    </Stack>
  );
}
