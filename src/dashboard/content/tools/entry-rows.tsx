import { Group, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FieldList } from '../field-list.tsx';
import { AddRow, RemoveRow } from '../../parts/row-buttons.tsx';
import type { ENTRY_LISTS, ToolValues } from './tool.ts';

/** Rows of names and values: headers, query parameters or cookies. */
export function EntryRows({
  form,
  list,
}: {
  form: UseFormReturnType<ToolValues>;
  list: (typeof ENTRY_LISTS)[number];
}) {
  const { t } = useTranslation();
  const title = t(`content_field.${list}`);
  return (
    <FieldList title={title} error={form.errors[list]}>
      {form.values[list].map(({ name }, index) => (
        <Group key={index} gap="xs" align="start">
          <TextInput
            aria-label={t('content.tools.entry_name', { list: title, number: index + 1 })}
            placeholder={t('content_field.name')}
            dir="ltr"
            flex="1 1 5rem"
            {...form.getInputProps(`${list}.${index}.name`)}
          />
          <TextInput
            aria-label={t('content.tools.entry_value', { list: title, number: index + 1 })}
            placeholder={t('content.tools.value')}
            dir="ltr"
            flex="2 1 6rem"
            {...form.getInputProps(`${list}.${index}.value`)}
          />
          <RemoveRow
            label={t('content.tools.remove_entry', { list: title, name: name || index + 1 })}
            onClick={() => form.removeListItem(list, index)}
          />
        </Group>
      ))}
      <AddRow onClick={() => form.insertListItem(list, { name: '', value: '' })}>
        {t(`content.tools.add_${list}`)}
      </AddRow>
    </FieldList>
  );
}
