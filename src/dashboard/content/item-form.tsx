import { Button, Stack, Switch, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Conflict } from './conflict.tsx';
import type { Family, FieldValues, Listed } from './family.ts';
import { Needs } from './needs.tsx';
import { useSpace } from './space.ts';
import { useItemForm } from './use-item-form.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { LeaveGuard } from '../parts/leave-guard.tsx';
import { SaveBar } from '../parts/save-bar.tsx';

/** The form that creates or changes an item. */
export function ItemForm<Item extends Listed, Values extends FieldValues>({
  family,
  item,
  onSaved,
}: {
  family: Family<Item, Values>;
  item: Item | null;
  onSaved(item: Item): void;
}) {
  const { t } = useTranslation();
  const { form, base, theirs, error, isPending, submit, startFrom, saveOver } = useItemForm({
    family,
    item,
    onSaved,
  });
  const { Fields, place } = family;
  const space = useSpace();
  const lacking = space.lacks(base === null ? 'create' : 'update', place);
  // The page has read a newer version, and nothing typed would be lost.
  const newer =
    item !== null && item.version > (base?.version ?? 0) && !form.isDirty() ? item : null;
  useEffect(() => {
    if (newer !== null) startFrom(newer);
    // The form starts again for each version that is read, and for nothing else.
  }, [newer?.version]);
  return (
    <form onSubmit={submit} noValidate>
      <LeaveGuard isDirty={() => form.isDirty()} />
      <Stack gap="lg">
        {theirs !== null && (
          <Conflict
            yours={form.values}
            theirs={theirs.values}
            version={theirs.item.version}
            isPending={isPending}
            onTake={(field) => form.setValues({ [field]: theirs.values[field] } as Partial<Values>)}
            onTakeAll={() => startFrom(theirs.item)}
            onSave={() => saveOver(theirs.item.version)}
          />
        )}
        {error !== null && theirs === null && <ErrorAlert error={error} />}
        <Fields form={form} item={base} />
        {space.isCatalog && (
          <Switch
            label={t('content_field.organization_wide')}
            description={t('content.organization_wide_hint')}
            {...form.getInputProps('organization_wide', { type: 'checkbox' })}
          />
        )}
        <SaveBar errors={form.errors}>
          {lacking === null ? (
            // A conflict is decided above, with a button of its own.
            <Button type="submit" loading={isPending} disabled={theirs !== null}>
              {base === null ? t(`content.${place}.create`) : t('form.save')}
            </Button>
          ) : (
            <Needs permission={lacking} />
          )}
          {base !== null && form.isDirty() && (
            <Text size="sm" c="dimmed">
              {t('content.unsaved')}
            </Text>
          )}
        </SaveBar>
      </Stack>
    </form>
  );
}
