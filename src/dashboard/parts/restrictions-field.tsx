import { Autocomplete, Button, Checkbox, Group, Stack, TagsInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Hours, HoursWindow, RestrictionValues } from './restrictions.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const WORKDAYS: HoursWindow = { days: DAYS.slice(0, 5), from: '09:00', to: '17:00' };
const MAX_WINDOWS = 21;
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The name of a weekday; the first of January 2024 was a Monday. */
const dayName = (index: number, language: string | undefined) =>
  new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, 1 + index),
  );

/** Chooses from where and when a credential works. */
export function RestrictionsField({
  value,
  errors,
  onChange,
}: {
  value: RestrictionValues;
  errors: Readonly<Record<string, unknown>>;
  onChange(value: RestrictionValues): void;
}) {
  const { t } = useTranslation();
  const { allowed_addresses, hours } = value;
  const setHours = (next: Hours | null) => onChange({ ...value, hours: next });
  return (
    <Stack gap="md">
      <TagsInput
        label={t('restrictions.addresses')}
        description={t('restrictions.addresses_hint')}
        placeholder="192.0.2.0/24"
        dir="ltr"
        acceptValueOnBlur
        splitChars={[',', ' ']}
        maxTags={50}
        value={allowed_addresses}
        error={errors['allowed_addresses'] as string | undefined}
        data-path="allowed_addresses"
        onChange={(next) => onChange({ ...value, allowed_addresses: next })}
      />
      <Checkbox
        label={t('restrictions.limit_hours')}
        checked={hours !== null}
        error={errors['hours'] as string | undefined}
        data-path="hours"
        onChange={({ currentTarget }) =>
          setHours(currentTarget.checked ? { zone: ownZone(), windows: [WORKDAYS] } : null)
        }
      />
      {hours !== null && <HoursFields hours={hours} onChange={setHours} />}
    </Stack>
  );
}

function HoursFields({ hours, onChange }: { hours: Hours; onChange(hours: Hours): void }) {
  const { t } = useTranslation();
  const { zone, windows } = hours;
  const replace = (index: number, window: HoursWindow) =>
    onChange({ zone, windows: windows.map((one, at) => (at === index ? window : one)) });
  const remove = (index: number) =>
    onChange({ zone, windows: windows.filter((_, at) => at !== index) });
  return (
    <Stack gap="sm">
      <Autocomplete
        label={t('restrictions.zone')}
        dir="ltr"
        limit={20}
        data={Intl.supportedValuesOf('timeZone')}
        value={zone}
        styles={{ wrapper: { maxWidth: 320 } }}
        onChange={(next) => onChange({ zone: next, windows })}
      />
      {windows.map((window, index) => (
        <WindowFields
          key={index}
          number={index + 1}
          window={window}
          onChange={(next) => replace(index, next)}
          onRemove={windows.length > 1 ? () => remove(index) : null}
        />
      ))}
      {windows.length < MAX_WINDOWS && (
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onChange({ zone, windows: [...windows, WORKDAYS] })}
          >
            {t('restrictions.add')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Days, and the times between which the credential works on them. */
function WindowFields({
  number,
  window: { days, from, to },
  onChange,
  onRemove,
}: {
  number: number;
  window: HoursWindow;
  onChange(window: HoursWindow): void;
  onRemove: (() => void) | null;
}) {
  const { t, i18n } = useTranslation();
  return (
    <fieldset className="card">
      <legend>{t('restrictions.window', { number })}</legend>
      <Stack gap="sm">
        <Checkbox.Group
          label={t('restrictions.days')}
          value={[...days]}
          onChange={(chosen) =>
            onChange({ days: DAYS.filter((day) => chosen.includes(day)), from, to })
          }
        >
          <Group gap="md" mt="xs">
            {DAYS.map((day, index) => (
              <Checkbox key={day} value={day} label={dayName(index, i18n.resolvedLanguage)} />
            ))}
          </Group>
        </Checkbox.Group>
        <Group gap="md" align="start">
          <TextInput
            type="time"
            label={t('restrictions.from')}
            value={from}
            onChange={({ currentTarget }) => onChange({ days, from: currentTarget.value, to })}
          />
          <TextInput
            type="time"
            label={t('restrictions.to')}
            description={to <= from ? t('restrictions.next_day') : undefined}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={to}
            onChange={({ currentTarget }) => onChange({ days, from, to: currentTarget.value })}
          />
        </Group>
        {onRemove !== null && (
          <Group>
            <Button size="compact-sm" variant="default" onClick={onRemove}>
              {t('restrictions.remove', { number })}
            </Button>
          </Group>
        )}
      </Stack>
    </fieldset>
  );
}
