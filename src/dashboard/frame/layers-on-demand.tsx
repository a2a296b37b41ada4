import { notificationsStore } from '@mantine/notifications';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { reauthentication } from '../api/reauthentication.ts';
import { sessionEnd } from '../api/session-end.ts';
import { onDemand } from '../parts/on-demand.tsx';

const layers = {
  notifications: async () => (await import('./notifications.tsx')).Notifications,
  reauthentication: async () => (await import('./reauthentication.tsx')).Reauthentication,
  sessionEnded: async () => (await import('./session-ended.tsx')).SessionEnded,
};
const Notifications = onDemand(layers.notifications);
const Reauthentication = onDemand(layers.reauthentication);
const SessionEnded = onDemand(layers.sessionEnded);

/**
 * Reads the layers before they are needed: a session may end in the middle of a form, after an
 * update that replaced their files.
 */
export async function readLayers(): Promise<void> {
  // One that was not read now is read, or reported, when it is needed.
  await Promise.allSettled(Object.values(layers).map((read) => read()));
}

/** What may appear over any page; each is drawn when it is needed for the first time. */
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
