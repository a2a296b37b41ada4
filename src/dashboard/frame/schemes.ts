import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';

/** The colour schemes that a person can choose. */
export const SCHEMES = [
  { scheme: 'auto', text: 'frame.scheme_auto', Icon: IconDeviceDesktop },
  { scheme: 'light', text: 'frame.scheme_light', Icon: IconSun },
  { scheme: 'dark', text: 'frame.scheme_dark', Icon: IconMoon },
] as const;
