import { notificationsStore } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { reauthentication } from '../api/reauthentication.ts';
import { sessionEnd } from '../api/session-end.ts';
import { whenOnline } from '../api/when-online.ts';

const Notifications = lazy(async () => ({
  default: (await whenOnline(() => import('./notifications.tsx'))).Notifications,
}));
const Reauthentication = lazy(async () => ({
  default: (await whenOnline(() => import('./reauthentication.tsx'))).Reauthentication,
}));
const SessionEnded = lazy(async () => ({
  default: (await whenOnline(() => import('./session-ended.tsx'))).SessionEnded,
}));

/** What may appear over any page; each is loaded when it is needed for the first time. */
export function LayersOnDemand() {
  const waits = useSyncExternalStore(reauthentication.subscribe, reauthentication.current) !== null;
  const hasEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.current);
  const notifies = useSyncExternalStore(
    notificationsStore.subscribe,
    () => notificationsStore.getState().notifications.length > 0,
  );
  return (
    <Suspense>
      {useEver(notifies) && <Notifications />}
      {useEver(waits) && <Reauthentication />}
      {useEver(hasEnded) && <SessionEnded />}
    </Suspense>
  );
}

/** Returns whether a condition has ever been true. */
function useEver(condition: boolean): boolean {
  const [ever, setEver] = useState(condition);
  useEffect(() => {
    if (condition) setEver(true);
  }, [condition]);
  return ever || condition;
}
