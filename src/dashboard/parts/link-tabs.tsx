import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Links to pages that belong together, which look like tabs. */
export function LinkTabs({
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
}) {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a phone, the tabs scroll, and the open one may be out of view.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname]);
  return (
    <nav ref={nav} className="page link-tabs" aria-label={label}>
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
}
