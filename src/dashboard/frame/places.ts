import {
  IconApi,
  IconAppWindow,
  IconChartBar,
  IconFileText,
  IconKey,
  IconLayoutDashboard,
  IconLink,
  IconMessage2,
  IconPlugConnected,
  IconRobot,
  IconSettings,
  IconTools,
} from '@tabler/icons-react';

/** The pages of a person's own account; `go` is the key that leads to one after `g`. */
export const PLACES = [
  { to: '/app', text: 'frame.overview', group: 'start', go: 'o', Icon: IconLayoutDashboard },
  { to: '/app/connect', text: 'frame.connect', group: 'start', go: 'c', Icon: IconPlugConnected },
  { to: '/app/keys', text: 'frame.keys', group: 'credentials', go: 'k', Icon: IconKey },
  {
    to: '/app/connections',
    text: 'frame.connections',
    group: 'credentials',
    go: 'n',
    Icon: IconLink,
  },
  { to: '/app/clients', text: 'frame.clients', group: 'credentials', go: 'l', Icon: IconAppWindow },
  { to: '/app/mcp', text: 'frame.mcp', group: 'content', go: 'b', Icon: IconTools },
  { to: '/app/tools', text: 'frame.tools', group: 'content', go: 't', Icon: IconApi },
  {
    to: '/app/prompts',
    text: 'frame.prompts',
    group: 'content',
    go: 'p',
    Icon: IconMessage2,
  },
  {
    to: '/app/resources',
    text: 'frame.resources',
    group: 'content',
    go: 'r',
    Icon: IconFileText,
  },
  { to: '/app/agents', text: 'frame.agents', group: 'content', go: 'a', Icon: IconRobot },
  { to: '/app/usage', text: 'frame.usage', group: 'account', go: 'u', Icon: IconChartBar },
  { to: '/app/settings', text: 'frame.settings', group: 'account', go: 's', Icon: IconSettings },
] as const;
