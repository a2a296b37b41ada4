import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { TryFamily } from './items.ts';

/** A link to try an item, by its MCP name, in an organization or in the person's own account. */
export function TryLink({
  family = 'tool',
  item,
  organization,
}: {
  family?: TryFamily;
  item: string;
  organization?: string | undefined;
}) {
  const { t } = useTranslation();
  return (
    <Link
      to="/app/try"
      search={{ family, item, ...(organization === undefined ? {} : { organization }) }}
      className="text-link"
      aria-label={t('frame.try_item', { name: item })}
    >
      {t('frame.try')}
    </Link>
  );
}
