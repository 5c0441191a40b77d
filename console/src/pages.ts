import type { ComponentType } from 'preact'
import type { Role } from './data/session.ts'
import type { IconName } from './parts/icon.tsx'

/** What a page gets: the parts of its path that have a colon, and what stands behind the `?`. */
export interface PageProps {
  /** Of `/messages/:id` the `id`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

export interface PageEntry {
  /** Parts with a colon are names of params. */
  readonly path: string
  readonly title: string
  /** For the bar of a phone, when the title is too long for it. */
  readonly short?: string
  readonly icon: IconName
  readonly for: Role | 'both'
  /** The heading under which it stands in the navigation; none: it is reached from another page. */
  readonly group?: 'Texts' | 'People' | 'Set up' | 'Server'
  /** Stands in the bar at the bottom of a phone; the others are behind More. Four a role. */
  readonly bar?: boolean
  /** Shows the number of unread conversations. */
  readonly countsUnread?: boolean
  /** Shown to people who are not signed in, too. */
  readonly isPublic?: boolean
  /** The page's file, which exports `Page`. */
  readonly load: () => Promise<{ Page: ComponentType<PageProps> }>
}

/** All pages, in the order of the navigation. The first one of a role is where it starts. */
export const PAGES: readonly PageEntry[] = [
  {
    path: '/send',
    title: 'Send',
    icon: 'send',
    for: 'user',
    group: 'Texts',
    bar: true,
    load: () => import('./pages/send/page.tsx'),
  },
  {
    path: '/send/list',
    title: 'Send to a list',
    icon: 'send',
    for: 'user',
    load: () => import('./pages/list/page.tsx'),
  },
  {
    path: '/health',
    title: 'Health',
    icon: 'health',
    for: 'superuser',
    group: 'Server',
    bar: true,
    load: () => import('./pages/health/page.tsx'),
  },
  {
    path: '/users',
    title: 'Users',
    icon: 'users',
    for: 'superuser',
    group: 'Server',
    bar: true,
    load: () => import('./pages/users/page.tsx'),
  },
  {
    path: '/messages',
    title: 'Messages',
    icon: 'messages',
    for: 'both',
    group: 'Texts',
    bar: true,
    load: () => import('./pages/messages/page.tsx'),
  },
  {
    path: '/messages/:id',
    title: 'Message',
    icon: 'messages',
    for: 'both',
    load: () => import('./pages/message/page.tsx'),
  },
  {
    path: '/campaigns',
    title: 'Campaigns',
    icon: 'campaigns',
    for: 'user',
    group: 'Texts',
    load: () => import('./pages/campaigns/page.tsx'),
  },
  {
    path: '/campaigns/:id',
    title: 'Campaign',
    icon: 'campaigns',
    for: 'user',
    load: () => import('./pages/campaign/page.tsx'),
  },
  {
    path: '/conversations',
    title: 'Conversations',
    icon: 'conversations',
    for: 'user',
    group: 'Texts',
    bar: true,
    countsUnread: true,
    load: () => import('./pages/conversations/page.tsx'),
  },
  {
    path: '/conversations/:number',
    title: 'Conversation',
    icon: 'conversations',
    for: 'user',
    load: () => import('./pages/conversations/page.tsx'),
  },
  {
    path: '/contacts',
    title: 'Contacts',
    icon: 'contacts',
    for: 'user',
    group: 'People',
    bar: true,
    load: () => import('./pages/contacts/page.tsx'),
  },
  {
    path: '/groups',
    title: 'Groups',
    icon: 'groups',
    for: 'user',
    group: 'People',
    load: () => import('./pages/groups/page.tsx'),
  },
  {
    path: '/templates',
    title: 'Templates',
    icon: 'templates',
    for: 'user',
    group: 'People',
    load: () => import('./pages/templates/page.tsx'),
  },
  {
    path: '/devices',
    title: 'Devices',
    icon: 'devices',
    for: 'both',
    group: 'Set up',
    load: () => import('./pages/devices/page.tsx'),
  },
  {
    path: '/devices/:id',
    title: 'Device',
    icon: 'devices',
    for: 'both',
    load: () => import('./pages/device/page.tsx'),
  },
  {
    path: '/keys',
    title: 'API keys',
    icon: 'keys',
    for: 'both',
    group: 'Set up',
    load: () => import('./pages/keys/page.tsx'),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    for: 'both',
    group: 'Set up',
    load: () => import('./pages/webhooks/page.tsx'),
  },
  {
    path: '/webhooks/:id',
    title: 'Webhook',
    icon: 'webhooks',
    for: 'both',
    load: () => import('./pages/webhook/page.tsx'),
  },
  {
    path: '/usage',
    title: 'Usage',
    icon: 'usage',
    for: 'both',
    group: 'Set up',
    load: () => import('./pages/usage/page.tsx'),
  },
  {
    path: '/account',
    title: 'Account',
    icon: 'contacts',
    for: 'both',
    load: () => import('./pages/account/page.tsx'),
  },
  {
    path: '/help',
    title: 'Help',
    icon: 'help',
    for: 'both',
    isPublic: true,
    load: () => import('./pages/help/page.tsx'),
  },
  {
    path: '/help/:section',
    title: 'Help',
    icon: 'help',
    for: 'both',
    isPublic: true,
    load: () => import('./pages/help/page.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    icon: 'settings',
    for: 'superuser',
    group: 'Server',
    load: () => import('./pages/settings/page.tsx'),
  },
  {
    path: '/backups',
    title: 'Backups',
    icon: 'backups',
    for: 'superuser',
    group: 'Server',
    load: () => import('./pages/backups/page.tsx'),
  },
  {
    path: '/audit',
    title: 'Audit log',
    icon: 'keys',
    for: 'superuser',
    group: 'Server',
    load: () => import('./pages/audit/page.tsx'),
  },
  {
    path: '/logs',
    title: 'Logs',
    icon: 'filter',
    for: 'superuser',
    group: 'Server',
    load: () => import('./pages/logs/page.tsx'),
  },
]
