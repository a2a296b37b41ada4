import { Accordion, Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { HiddenReason, Preview } from '../../visibility/schema.ts';
import { FixLink } from './fix-link.tsx';

/** The families of items, in the order in which they are shown. */
export const FAMILIES = ['tools', 'prompts', 'resources', 'agents'] as const;
export type Family = (typeof FAMILIES)[number];

/** An item in one of the lists. */
export interface ShownItem {
  family: Family;
  id: string;
  name: string;
}

/** What a credential sees, by family, and what is hidden from it, with every reason. */
export function ItemLists({
  items: { visible, hidden, counts },
  reasonText,
  linksOf,
}: {
  items: Pick<Preview, 'visible' | 'hidden' | 'counts'>;
  reasonText(reason: HiddenReason): string;
  /** Where more about an item is shown; system tools have nothing more. */
  linksOf?: (item: ShownItem) => ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <Accordion multiple keepMounted={false} variant="separated" order={3}>
      {FAMILIES.filter((family) => counts.visible[family] > 0).map((family) => (
        <Accordion.Item key={family} value={family}>
          <Accordion.Control>
            {t(`preview.${family}`, { count: counts.visible[family] })}
          </Accordion.Control>
          <Accordion.Panel>
            <ul className="names">
              {visible[family].map((item) => (
                <li key={item.id}>
                  <bdi>{item.name}</bdi>{' '}
                  {'system' in item ? (
                    <Text span size="xs" c="dimmed">
                      {t('preview.system')}
                    </Text>
                  ) : (
                    linksOf?.({ family, id: item.id, name: item.name })
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
                    {reasonText(reason)}
                  </Badge>
                ))}{' '}
                <FixLink url={item.fix_url} />{' '}
                {linksOf?.({ family: `${item.family}s`, id: item.id, name: item.name })}
              </li>
            ))}
          </ul>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
