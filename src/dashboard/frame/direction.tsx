import { DirectionProvider, useDirection } from '@mantine/core';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { directionOf } from '../../texts/languages.ts';

/** Gives the document the language that is shown, and its direction. */
export const Direction = ({ children }: { children: ReactNode }) => (
  <DirectionProvider detectDirection={false}>
    <DirectionOfLanguage />
    {children}
  </DirectionProvider>
);

function DirectionOfLanguage() {
  const { i18n } = useTranslation();
  const { setDirection } = useDirection();
  const language = i18n.resolvedLanguage ?? 'en';
  useEffect(() => {
    document.documentElement.lang = language;
    setDirection(directionOf(language));
  }, [language, setDirection]);
  return null;
}
