import { Flex, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';

const MAX_SHARES = 10;

/** Who or what has the most calls of this month. */
export function Shares({
  id,
  title,
  shares,
}: {
  id: string;
  title: string;
  shares: readonly { id: string; name: string; calls: number }[];
}) {
  const { t, i18n } = useTranslation();
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb="sm">
        {title}
      </Title>
      {shares.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('usage.by_item_none')}
        </Text>
      ) : (
        <ul className="card list steps">
          {shares.slice(0, MAX_SHARES).map((share) => (
            <li key={share.id} className="list-row">
              <Flex justify="space-between" gap="sm">
                <Text size="sm">
                  <bdi>{share.name}</bdi>
                </Text>
                <Text size="sm" fw={600} className="number">
                  {share.calls.toLocaleString(i18n.resolvedLanguage)}
                </Text>
              </Flex>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
