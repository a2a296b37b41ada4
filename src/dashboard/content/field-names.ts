import { useTranslation } from 'react-i18next';
import type { Texts } from '../texts/english.ts';

type FieldName = keyof Texts['content_field'];

/** Returns the names of a form's fields; one without a name keeps that of the API. */
export function useFieldName(): (field: string) => string {
  const { t, i18n } = useTranslation();
  return (field) =>
    i18n.exists(`content_field.${field}`) ? t(`content_field.${field as FieldName}`) : field;
}
