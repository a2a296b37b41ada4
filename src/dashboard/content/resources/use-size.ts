import { useTranslation } from 'react-i18next';

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;
const STEP = 1_000;

/** Returns a function that writes a number of bytes in the language of the page. */
export function useSize(): (bytes: number) => string {
  const { i18n } = useTranslation();
  return (bytes) => {
    const index = bytes < STEP ? 0 : bytes < STEP ** 2 ? 1 : 2;
    return new Intl.NumberFormat(i18n.resolvedLanguage ?? 'en', {
      style: 'unit',
      unit: UNITS[index],
      unitDisplay: index === 0 ? 'long' : 'short',
      maximumFractionDigits: index === 0 ? 0 : 1,
    }).format(bytes / STEP ** index);
  };
}
