import { useEffect, useState } from 'react';
import type { ConnectEvent } from '../../connect/schema.ts';

const MAX_EVENTS = 50;

/** Returns the latest events while the page is open, newest first, and whether the stream is open. */
export function useConnectEvents(): { events: readonly ConnectEvent[]; isOpen: boolean } {
  const [events, setEvents] = useState<readonly ConnectEvent[]>([]);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const source = new EventSource('/api/connect/events');
    source.addEventListener('open', () => setOpen(true));
    source.addEventListener('error', () => setOpen(false));
    source.addEventListener('request', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as ConnectEvent;
      setEvents((earlier) => [event, ...earlier].slice(0, MAX_EVENTS));
    });
    return () => source.close();
  }, []);
  return { events, isOpen };
}
