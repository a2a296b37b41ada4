import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { KeyValues } from './key-values.ts';

const DAY_MS = 86_400_000;
const DAYS = [7, 30, 90, 365] as const;

/** The last day on which a key is valid, in the person's time zone, under a heading of its own. */
export function ExpiryField({ form }: { form: UseFormReturnType<KeyValues> }) {
  const { t } = useTranslation();
  const { expires_at } = form.values;
  const choose = (day: string) => form.setFieldValue('expires_at', day === '' ? null : endOf(day));
  return (
    <Stack gap="xs">
      <TextInput
        type="date"
        aria-label={t('key_form.expiry')}
        description={t('key_form.expiry_hint')}
        styles={{ wrapper: { maxWidth: 260 } }}
        value={expires_at === null ? '' : dayOf(new Date(expires_at))}
        error={form.errors['expires_at']}
        data-path="expires_at"
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <Group gap="xs" role="group" aria-label={t('key_form.expiry')}>
        <Button size="compact-xs" variant="default" onClick={() => choose('')}>
          {t('key_form.expiry_clear')}
        </Button>
        {DAYS.map((days) => (
          <Button
            key={days}
            size="compact-xs"
            variant="default"
            onClick={() => choose(dayOf(new Date(Date.now() + days * DAY_MS)))}
          >
            {t('key_form.expiry_days', { count: days })}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

const endOf = (day: string): string | null => {
  const end = new Date(`${day}T23:59:59`);
  // While a year is typed, its first digits are a date, too; an impossible one is none.
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
};

/** Swedish writes dates as `<input type="date">` does. */
const dayOf = (date: Date): string => date.toLocaleDateString('sv-SE');
