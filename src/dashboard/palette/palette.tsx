import { CloseButton, Group, Kbd, Loader, Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { GROUPS, matches, useCommands } from './commands.ts';
import type { Command } from './commands.ts';
import type { DialogProps } from './dialog-props.ts';
import { useFound } from './use-found.ts';
import classes from './palette.module.css';

const TYPING_MS = 200;

/** Finds pages, organizations, items and actions by what is typed, and opens or does one. */
export function Palette({ onClose, onShortcuts }: DialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const [searched] = useDebouncedValue(text, TYPING_MS);
  const [chosen, choose] = useState<string | null>(null);
  const found = useFound(searched);
  const commands = [
    ...useCommands(onShortcuts).filter((one) => matches(one, text)),
    ...(text === '' ? [] : found.commands),
  ];
  const shown = GROUPS.flatMap((group) => commands.filter((one) => one.group === group));
  const active = shown.find((one) => one.id === chosen) ?? shown[0];
  const isSearching = text !== searched || found.isPending;

  function run(command: Command) {
    const isElsewhere = command.run();
    // The list of keys takes the place of this dialog.
    if (command.id !== 'shortcuts') onClose(isElsewhere);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) {
      event.preventDefault();
      const index = shown.findIndex((one) => one === active) + step;
      choose(shown.at(index % shown.length)!.id);
    }
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (active !== undefined) run(active);
  }

  return (
    <Modal.Root opened onClose={() => onClose(false)} size="lg" yOffset="10vh" returnFocus={false}>
      <Modal.Overlay />
      <Modal.Content aria-label={t('palette.title')}>
        <Modal.Body p={0}>
          <TextInput
            variant="unstyled"
            size="md"
            className={classes.search}
            aria-label={t('palette.search')}
            placeholder={t('palette.search')}
            role="combobox"
            aria-expanded={shown.length > 0}
            aria-controls={shown.length > 0 ? `${id}-list` : undefined}
            aria-autocomplete="list"
            aria-activedescendant={active === undefined ? undefined : `${id}-${active.id}`}
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            leftSection={isSearching ? <Loader size={16} /> : <IconSearch size={18} aria-hidden />}
            rightSection={
              <CloseButton aria-label={t('form.close')} onClick={() => onClose(false)} />
            }
            value={typed}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value);
              choose(null);
            }}
            onKeyDown={onKeyDown}
          />
          {shown.length > 0 && (
            <div
              className={classes.list}
              role="listbox"
              id={`${id}-list`}
              aria-label={t('palette.title')}
            >
              {GROUPS.map((group) => {
                const members = shown.filter((one) => one.group === group);
                if (members.length === 0) return null;
                return (
                  <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
                    <Text id={`${id}-${group}`} className={classes.group} role="presentation">
                      {t(`palette.group_${group}`)}
                    </Text>
                    {members.map((command) => (
                      <Option
                        key={command.id}
                        id={`${id}-${command.id}`}
                        command={command}
                        isActive={command === active}
                        onPoint={() => choose(command.id)}
                        onRun={() => run(command)}
                      />
                    ))}
                  </div>
                );
              })}
            </div>
          )}
          <Text size="sm" c="dimmed" role="status" className={classes.status}>
            {found.hasFailed && `${t('palette.failed')} `}
            {shown.length === 0 && !isSearching
              ? t('palette.nothing')
              : t('palette.count', { count: shown.length })}
          </Text>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Option({
  id,
  command: { label, note, keys, Icon },
  isActive,
  onPoint,
  onRun,
}: {
  id: string;
  command: Command;
  isActive: boolean;
  onPoint(): void;
  onRun(): void;
}) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={classes.option}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      onMouseMove={() => {
        if (!isActive) onPoint();
      }}
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onRun}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      <Text span size="sm" truncate className={classes.label}>
        <bdi>{label}</bdi>
      </Text>
      {note !== undefined && (
        <Text span size="xs" c="dimmed">
          {note}
        </Text>
      )}
      {keys !== undefined && (
        <Group gap={4} wrap="nowrap" aria-hidden>
          {keys.split(' ').map((key) => (
            <Kbd key={key} size="xs">
              {key}
            </Kbd>
          ))}
        </Group>
      )}
    </div>
  );
}
