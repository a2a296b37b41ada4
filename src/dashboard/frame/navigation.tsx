import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { groupClass } from './navigation-groups.ts';
import { usePlaces } from './use-places.ts';

/** Links to the pages of the space that is open. */
export function Navigation() {
  const places = usePlaces();
  return places.map(({ address, label, Icon, isFirst }, index) => (
    <NavLink
      key={address}
      className={groupClass(places, index)}
      // The link marks the current page, and the library shows that mark.
      renderRoot={(props) => <Link to={address} activeOptions={{ exact: isFirst }} {...props} />}
      label={label}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
    />
  ));
}
