import { useEffect, useState } from 'react';
import type { ConnectEvent, DiscoveryEvent } from '../../connect/schema.ts';

const MAX_EVENTS = 50;

/** Events while the page is open. */
export interface Watched {
  /** The latest requests, newest first. */
  events: readonly ConnectEvent[];
  /** The latest request from this address without a credential. */
  discovery: DiscoveryEvent | null;
  isOpen: boolean;
}

/** Watches what credentials of the account do, and clients at this address that have none. */
export function useConnectEvents(): Watched {
  const [events, setEvents] = useState<readonly ConnectEvent[]>([]);
  const [discovery, setDiscovery] = useState<DiscoveryEvent | null>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const source = new EventSource('/api/connect/events');
    source.addEventListener('open', () => setOpen(true));
    source.addEventListener('error', () => setOpen(false));
    source.addEventListener('request', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as ConnectEvent;
      setEvents((earlier) => [event, ...earlier].slice(0, MAX_EVENTS));
    });
    source.addEventListener('discovery_without_credential', ({ data }: MessageEvent<string>) =>
      setDiscovery(JSON.parse(data) as DiscoveryEvent),
    );
    return () => source.close();
  }, []);
  return { events, discovery, isOpen };
}
