import { Accordion, Alert, Anchor, Badge, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { KeyPreview } from '../../keys/schema.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';

const FAMILIES = ['tools', 'prompts', 'resources', 'agents'] as const;
type Family = (typeof FAMILIES)[number];

/**
 * What a credential sees and what stays hidden from it, with every reason. All numbers are the
 * service's; `summary` of the last answer stays while the next one is read.
 */
export function Preview({
  preview,
  error,
  isPending,
}: {
  preview: KeyPreview | undefined;
  error: unknown;
  isPending: boolean;
}) {
  const { t } = useTranslation();
  if (error !== null && error !== undefined) return <ErrorAlert error={error} />;
  if (preview === undefined)
    return <Skeleton height={180} aria-label={t('frame.loading')} visible={isPending} />;
  const { counts, visible, hidden } = preview;
  const count = (family: Family) => t(`preview.${family}`, { count: counts.visible[family] });
  return (
    <Stack gap="sm">
      <Text fw={600} aria-live="polite" role="status">
        {FAMILIES.map(count).join(', ')}
      </Text>
      <Text size="sm" c="dimmed">
        {t('preview.tokens', { count: preview.list_tokens })}
      </Text>
      {preview.warnings.map(({ code, message }, index) => (
        <Alert key={`${code} ${index}`} color="yellow">
          {message}
        </Alert>
      ))}
      <Accordion multiple variant="separated" order={3}>
        {FAMILIES.filter((family) => counts.visible[family] > 0).map((family) => (
          <Accordion.Item key={family} value={family}>
            <Accordion.Control>{count(family)}</Accordion.Control>
            <Accordion.Panel>
              <ul className="names">
                {visible[family].map((item) => (
                  <li key={item.id}>
                    <bdi>{item.name}</bdi>{' '}
                    {'system' in item && (
                      <Text span size="xs" c="dimmed">
                        {t('preview.system')}
                      </Text>
                    )}
                  </li>
                ))}
              </ul>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
        <Accordion.Item value="hidden">
          <Accordion.Control>{t('preview.hidden', { count: counts.hidden })}</Accordion.Control>
          <Accordion.Panel>
            {hidden.length === 0 && <Text size="sm">{t('preview.hidden_none')}</Text>}
            <ul className="names">
              {hidden.map((item) => (
                <li key={`${item.family} ${item.id}`}>
                  <bdi>{item.name}</bdi>{' '}
                  {item.because.map((reason) => (
                    <Badge key={reason} variant="default" size="sm" tt="none">
                      {t(`reason.${reason}`)}
                    </Badge>
                  ))}{' '}
                  {item.fix_url !== null && (
                    <Anchor size="sm" href={item.fix_url}>
                      {t('preview.change')}
                    </Anchor>
                  )}
                </li>
              ))}
            </ul>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}
