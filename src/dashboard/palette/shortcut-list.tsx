import { Group, Kbd, Modal, Stack, Switch, Text, Title } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { usePlaces } from '../frame/use-places.ts';
import type { DialogProps } from './dialog-props.ts';
import { useSingleKeys } from './use-single-keys.ts';
import classes from './palette.module.css';

/** Lists the keys of the dashboard, and turns off those that type a character. */
export function ShortcutList({ onClose }: DialogProps) {
  const { t } = useTranslation();
  const mod = useOs({ getValueInEffect: false }) === 'macos' ? '⌘' : 'Ctrl';
  const places = usePlaces();
  const [hasSingleKeys, setSingleKeys] = useSingleKeys();
  return (
    <Modal opened onClose={() => onClose(false)} title={t('palette.shortcuts')}>
      <Stack>
        <Keys
          title={t('palette.everywhere')}
          list={[
            { keys: [mod, 'K'], label: t('palette.key_palette') },
            { keys: ['/'], label: t('palette.key_filter') },
            { keys: ['?'], label: t('palette.key_list') },
          ]}
        />
        <Keys
          title={t('palette.go_to')}
          list={places.flatMap(({ go, label }) =>
            go === null ? [] : [{ keys: ['g', go], label }],
          )}
        />
        <Switch
          label={t('palette.single_keys')}
          description={t('palette.single_keys_hint')}
          checked={hasSingleKeys}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

function Keys({
  title,
  list,
}: {
  title: string;
  list: readonly { keys: readonly string[]; label: string }[];
}) {
  return (
    <section>
      <Title order={3} size="sm" mb={6}>
        {title}
      </Title>
      <dl className={classes.keys}>
        {list.map(({ keys, label }) => (
          <Fragment key={label}>
            <dt>
              <Text size="sm">{label}</Text>
            </dt>
            <dd>
              <Group gap={4} wrap="nowrap" justify="end">
                {keys.map((key) => (
                  <Kbd key={key} size="sm">
                    {key}
                  </Kbd>
                ))}
              </Group>
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
