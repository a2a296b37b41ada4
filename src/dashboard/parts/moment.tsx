import { useTranslation } from 'react-i18next';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns how long ago, or how far ahead, a time is, in words of a language. */
export function relativeTime(at: string, language: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(at) - now) / 1_000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  // What has seven days is not to read six days a second later.
  const count = seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size);
  return format.format(count, unit);
}

/** A time: relative, and absolute in the person's zone when pointed at. */
export function Moment({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const language = i18n.resolvedLanguage ?? 'en';
  const absolute = new Date(at).toLocaleString(language, {
    dateStyle: 'medium',
    timeStyle: 'long',
  });
  return (
    <time dateTime={at} title={absolute}>
      {relativeTime(at, language)}
    </time>
  );
}
