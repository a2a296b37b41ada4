import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Family, FieldValues, Listed } from './family.ts';
import { ItemForm } from './item-form.tsx';
import { addressOf, useSpace } from './space.ts';
import { Page } from '../parts/page.tsx';

/** Creates an item. */
export function NewItemPage<Item extends Listed, Values extends FieldValues>({
  family,
}: {
  family: Family<Item, Values>;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const space = useSpace();
  const { place } = family;
  return (
    <Page
      title={t(`content.${place}.new`)}
      parents={[{ to: addressOf(space, place), label: t(`content.${place}.title`) }]}
    >
      <ItemForm
        family={family}
        item={null}
        onSaved={({ id }) =>
          void navigate({ to: addressOf(space, place, id), ignoreBlocker: true })
        }
      />
    </Page>
  );
}
