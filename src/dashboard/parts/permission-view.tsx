import { Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Permission } from '../../authz/permissions.ts';
import { impliedBy, rowsOf } from './permission-rows.ts';
import type { TextName } from '../texts/texts.ts';
import classes from './permission-matrix.module.css';

const grantOf = ({ grant }: Permission) => grant;

/** The permissions of a role or a key, for who cannot change them: what is not given is left out. */
export function PermissionView({
  table,
  label,
  value,
}: {
  table: readonly Permission[];
  label: string;
  value: readonly string[];
}) {
  const { t } = useTranslation();
  const rows = rowsOf(table, grantOf);
  const chosen = new Set(value);
  const implied = impliedBy(
    rows.flatMap(({ cells }) => cells),
    chosen,
  );
  const given = rows.flatMap(({ noun, cells }) => {
    const held = cells.filter(({ name }) => chosen.has(name) || implied.has(name));
    return held.length === 0 ? [] : [{ noun, held }];
  });
  return (
    <section aria-label={label}>
      <Text size="sm" fw={600} mb="xs">
        {label}
      </Text>
      {given.length === 0 ? (
        <Text size="sm">{t('key_form.preset_none')}</Text>
      ) : (
        <dl className={`card list ${classes.matrix}`}>
          {given.map(({ noun, held }) => (
            <div key={noun} className={`list-row ${classes.row}`}>
              <dt className={classes.group}>{t(noun as TextName)}</dt>
              {held.map(({ name, verb, column }) => (
                <dd key={name} title={name} className={classes[column]}>
                  <IconCheck size={14} aria-hidden className={classes.check} />
                  {t(verb as TextName)}
                </dd>
              ))}
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
