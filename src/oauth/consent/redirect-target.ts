import { isOnLoopback } from '../../platform/http/own-host.ts';

/** Who receives an answer: a site, a program on this computer, or an app with a scheme of its own. */
export type RedirectTarget = 'site' | 'this_computer' | 'this_device';

/** Returns the host that receives the answer, or the scheme of an application. */
export function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return host === '' || !/^https?:$/.test(protocol) ? protocol : host;
}

/** Returns who receives the answer at a redirect URI. */
export function targetOf(uri: string): RedirectTarget {
  const { protocol } = new URL(uri);
  if (!/^https?:$/.test(protocol)) return 'this_device';
  return isOnLoopback(uri) ? 'this_computer' : 'site';
}
