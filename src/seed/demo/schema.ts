import { z } from 'zod';

/** The pages that the demo points to, in this order; the first explains a denial. */
export const demoLinks = ['denial', 'admission', 'policies', 'members', 'audit'] as const;
export type DemoLink = (typeof demoLinks)[number];

/** Shown once, after the demo was loaded. */
export interface LoadedDemo {
  organization_id: string;
  /** By address. */
  passwords: readonly { name: string; secret: string }[];
  /** A command that calls a tool with a key of the demo. */
  curl: string;
  /** Addresses of pages of the dashboard. */
  links: Readonly<Record<DemoLink, string>>;
}

/** Whether the demo can be loaded or removed, as `GET /dev/demo` returns it. */
export interface DemoState {
  /** No account exists: the link of the start can load the demo. */
  fresh: boolean;
  loaded: boolean;
  /** Whether the person who is signed in may remove it. */
  removable: boolean;
}

/** Body of `POST /dev/demo`: the token of the link that the start printed. */
export const DemoRequest = z.object({ token: z.string().max(200) });
