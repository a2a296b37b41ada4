import { useLocalStorage } from '@mantine/hooks';

/**
 * Whether keys work that type a character. A person who speaks to the computer turns them off, as
 * WCAG 2.1.4 demands; the choice is stored in this browser.
 */
export const useSingleKeys = () =>
  useLocalStorage<boolean>({
    ...{ key: 'toolgate-single-keys', defaultValue: true, getInitialValueInEffect: false },
    deserialize: (value) => value !== 'false',
  });
