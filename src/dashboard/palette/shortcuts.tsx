import { ActionIcon, Button, Kbd, Text } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { usePlaces } from '../frame/use-places.ts';
import { loadTexts } from '../texts/texts.ts';
import type { DialogProps } from './dialog-props.ts';
import { createShortcutReader } from './pressed-shortcut.ts';
import { useSingleKeys } from './use-single-keys.ts';

async function withTexts<Module>(module: Promise<Module>): Promise<Module> {
  await loadTexts(['palette', 'keys']);
  return module;
}
const dialogs = {
  palette: async () => (await withTexts(import('./palette.tsx'))).Palette,
  list: async () => (await withTexts(import('./shortcut-list.tsx'))).ShortcutList,
};
type Dialog = keyof typeof dialogs;

/** Listens to the keys of the dashboard; a button opens the palette without them. */
export function Shortcuts() {
  const { t } = useTranslation();
  const isMac = useOs({ getValueInEffect: false }) === 'macos';
  const navigate = useNavigate();
  const places = usePlaces();
  const [hasSingleKeys] = useSingleKeys();
  const [Opened, setOpened] = useState<ComponentType<DialogProps> | null>(null);
  const [read] = useState(() => createShortcutReader(isMac));
  const focused = useRef<Element | null>(null);

  async function open(dialog: Dialog) {
    if (Opened === null) focused.current = document.activeElement;
    try {
      const component = await dialogs[dialog]();
      setOpened(() => component);
    } catch {
      notifications.show({ color: 'red', message: t('errors.no_answer') });
    }
  }

  /** Returns the focus to where it was, or gives it to the page that is opened. */
  function close(isElsewhere: boolean) {
    setOpened(null);
    const before = isElsewhere ? document.querySelector('#content') : focused.current;
    requestAnimationFrame(() => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    });
  }

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const shortcut = read(event, {
      ...{ isTyping: isTyping(event.target), hasSingleKeys, now: event.timeStamp },
    });
    if (shortcut === null || document.querySelector('[aria-modal=true]') !== null) return;
    if (typeof shortcut === 'object') {
      const place = places.find(({ go }) => go === shortcut.go);
      if (place === undefined) return;
      event.preventDefault();
      void navigate({ to: place.address });
    } else if (shortcut === 'filter') {
      if (focusFilter()) event.preventDefault();
    } else {
      event.preventDefault();
      void open(shortcut);
    }
  });
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);

  const button = {
    onClick: () => void open('palette'),
    'aria-haspopup': 'dialog',
    'aria-keyshortcuts': isMac ? 'Meta+K' : 'Control+K',
  } as const;
  return (
    <>
      <Button
        {...button}
        visibleFrom="sm"
        variant="default"
        size="xs"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {isMac ? '⌘ K' : 'Ctrl K'}
          </Kbd>
        }
      >
        <Text span size="sm" c="dimmed" fw={400}>
          {t('frame.find')}
        </Text>
      </Button>
      <ActionIcon
        {...button}
        hiddenFrom="sm"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t('frame.find')}
      >
        <IconSearch size={20} aria-hidden />
      </ActionIcon>
      {Opened !== null && <Opened onClose={close} onShortcuts={() => void open('list')} />}
    </>
  );
}

const FIELDS = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, select';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches(FIELDS));

/** Focuses the first filter of the page; false if it has none. */
function focusFilter(): boolean {
  const filters = document.querySelectorAll<HTMLInputElement>('#content [data-filter]');
  const shown = [...filters].find((filter) => filter.checkVisibility());
  shown?.focus();
  shown?.select();
  return shown !== undefined;
}
