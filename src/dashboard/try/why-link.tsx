import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { TryFamily } from './items.ts';
import type { TryConnection } from './try-connection.ts';

/** A link to the explanation of what the connection may do with an item. */
export function WhyLink({
  connection,
  family,
  item,
}: {
  connection: Pick<TryConnection, 'id'>;
  family: TryFamily;
  item: string;
}) {
  const { t } = useTranslation();
  return (
    <Link
      to="/app/connections/$connectionId"
      params={{ connectionId: connection.id }}
      search={{ tab: 'explain', family, item }}
      className="text-link"
    >
      {t('try.why')}
    </Link>
  );
}
