import { MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { colorSchemes } from './color-schemes.ts';
import { theme } from './theme.ts';

/** Gives the library's components the look of the dashboard, and names of buttons in its language. */
export function Look({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const translated = useMemo(() => {
    const closeButtonProps = { 'aria-label': t('form.close') };
    return mergeThemeOverrides(theme, {
      components: {
        // A dialog has no banner of its own.
        Modal: {
          defaultProps: { closeButtonProps, attributes: { header: { role: 'presentation' } } },
        },
        Notification: { defaultProps: { closeButtonProps } },
        PasswordInput: {
          defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('form.show_password') } },
        },
      },
    });
  }, [t]);
  return (
    <MantineProvider theme={translated} defaultColorScheme="auto" colorSchemeManager={colorSchemes}>
      {children}
    </MantineProvider>
  );
}
