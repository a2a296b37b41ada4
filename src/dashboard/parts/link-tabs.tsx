import { Link } from '@tanstack/react-router';

/** Links to pages that belong together, which look like tabs. */
export const LinkTabs = ({
  label,
  tabs,
  isExact = false,
  isFirstExact = isExact,
}: {
  label: string;
  tabs: readonly { to: string; text: string }[];
  /** Whether the pages below the first one are tabs of their own. */
  isExact?: boolean;
  /** Whether the other pages are below the first one. */
  isFirstExact?: boolean;
}) => (
  <nav className="page link-tabs" aria-label={label}>
    {tabs.map(({ to, text }, index) => (
      <Link
        key={to}
        to={to}
        activeOptions={{ exact: index === 0 ? isFirstExact : isExact, includeSearch: false }}
      >
        {text}
      </Link>
    ))}
  </nav>
);
