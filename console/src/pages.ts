import type { ComponentType } from 'preact'
import type { Role, TeamRole } from './data/session.ts'
import { t } from './language/words.ts'
import type { IconName } from './parts/icon.tsx'

/** The props of a page: the named parts of its path, and the query. */
export interface PageProps {
  /** Parts of the path: `id` for `/messages/:id`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

export interface PageEntry {
  /** Parts with a colon are names of params. */
  readonly path: string
  readonly title: string
  /** A shorter title for the bar of a phone. */
  readonly short?: string
  readonly icon: IconName
  readonly for: Role | 'both'
  /** The lowest role that may see it; absent: viewer. */
  readonly needs?: TeamRole
  /** Its group in the navigation; absent: other pages link to it. */
  readonly group?: 'texts' | 'people' | 'setup' | 'server'
  /** Shown in a phone's bottom bar; others are behind "More". Four for each role. */
  readonly bar?: boolean
  /** Shows the number of unread conversations. */
  readonly countsUnread?: boolean
  /** Shown to people who are not signed in, too. */
  readonly isPublic?: boolean
  /** The page's file, which exports `Page`. */
  readonly load: () => Promise<{ Page: ComponentType<PageProps> }>
}

/** One function for both of its paths: the list stays when a conversation is opened. */
const inbox = () => import('./pages/conversations/page.tsx')

/** All pages, in the order of the navigation. Each role starts on its first page. */
export const PAGES: readonly PageEntry[] = [
  {
    path: '/conversations',
    title: t('Conversations'),
    short: t('Inbox'),
    icon: 'conversations',
    for: 'user',
    group: 'texts',
    bar: true,
    countsUnread: true,
    load: inbox,
  },
  {
    path: '/conversations/:number',
    title: t('Conversation'),
    icon: 'conversations',
    for: 'user',
    load: inbox,
  },
  {
    path: '/send',
    title: t('Send'),
    icon: 'send',
    for: 'user',
    needs: 'agent',
    group: 'texts',
    bar: true,
    load: () => import('./pages/send/page.tsx'),
  },
  {
    path: '/send/list',
    title: t('Send to a list'),
    icon: 'send',
    for: 'user',
    needs: 'agent',
    load: () => import('./pages/list/page.tsx'),
  },
  {
    path: '/health',
    title: t('Health'),
    icon: 'health',
    for: 'superuser',
    group: 'server',
    bar: true,
    load: () => import('./pages/health/page.tsx'),
  },
  {
    path: '/users',
    title: t('Users'),
    icon: 'users',
    for: 'superuser',
    group: 'server',
    bar: true,
    load: () => import('./pages/users/page.tsx'),
  },
  {
    path: '/messages',
    title: t('Messages'),
    icon: 'messages',
    for: 'both',
    group: 'texts',
    bar: true,
    load: () => import('./pages/messages/page.tsx'),
  },
  {
    path: '/messages/:id',
    title: t('Message'),
    icon: 'messages',
    for: 'both',
    load: () => import('./pages/message/page.tsx'),
  },
  {
    path: '/campaigns',
    title: t('Campaigns'),
    icon: 'campaigns',
    for: 'user',
    group: 'texts',
    load: () => import('./pages/campaigns/page.tsx'),
  },
  {
    path: '/campaigns/:id',
    title: t('Campaign'),
    icon: 'campaigns',
    for: 'user',
    load: () => import('./pages/campaign/page.tsx'),
  },
  {
    path: '/answers',
    title: t('Automatic answers'),
    icon: 'answers',
    for: 'user',
    group: 'texts',
    load: () => import('./pages/answers/page.tsx'),
  },
  {
    path: '/contacts',
    title: t('Contacts'),
    icon: 'contacts',
    for: 'user',
    group: 'people',
    bar: true,
    load: () => import('./pages/contacts/page.tsx'),
  },
  {
    path: '/groups',
    title: t('Groups'),
    icon: 'groups',
    for: 'user',
    group: 'people',
    load: () => import('./pages/groups/page.tsx'),
  },
  {
    path: '/templates',
    title: t('Templates'),
    icon: 'templates',
    for: 'user',
    group: 'people',
    load: () => import('./pages/templates/page.tsx'),
  },
  {
    path: '/devices',
    title: t('Devices'),
    icon: 'devices',
    for: 'both',
    group: 'setup',
    load: () => import('./pages/devices/page.tsx'),
  },
  {
    path: '/devices/:id',
    title: t('Device'),
    icon: 'devices',
    for: 'both',
    load: () => import('./pages/device/page.tsx'),
  },
  {
    path: '/keys',
    title: t('API keys'),
    icon: 'keys',
    for: 'both',
    needs: 'admin',
    group: 'setup',
    load: () => import('./pages/keys/page.tsx'),
  },
  {
    path: '/hooks',
    title: t('Hooks'),
    icon: 'hooks',
    for: 'user',
    needs: 'admin',
    group: 'setup',
    load: () => import('./pages/hooks/page.tsx'),
  },
  {
    path: '/hooks/:id',
    title: t('Hook'),
    icon: 'hooks',
    for: 'user',
    needs: 'admin',
    load: () => import('./pages/hook/page.tsx'),
  },
  {
    path: '/webhooks',
    title: t('Webhooks'),
    icon: 'webhooks',
    for: 'both',
    needs: 'admin',
    group: 'setup',
    load: () => import('./pages/webhooks/page.tsx'),
  },
  {
    path: '/webhooks/:id',
    title: t('Webhook'),
    icon: 'webhooks',
    for: 'both',
    needs: 'admin',
    load: () => import('./pages/webhook/page.tsx'),
  },
  {
    path: '/team',
    title: t('Team'),
    icon: 'users',
    for: 'user',
    group: 'setup',
    load: () => import('./pages/team/page.tsx'),
  },
  {
    path: '/usage',
    title: t('Usage'),
    icon: 'usage',
    for: 'both',
    group: 'setup',
    load: () => import('./pages/usage/page.tsx'),
  },
  {
    path: '/account',
    title: t('Account'),
    icon: 'contacts',
    for: 'both',
    needs: 'none',
    load: () => import('./pages/account/page.tsx'),
  },
  {
    path: '/help',
    title: t('Help'),
    icon: 'help',
    for: 'both',
    needs: 'none',
    isPublic: true,
    load: () => import('./pages/help/page.tsx'),
  },
  {
    path: '/help/:section',
    title: t('Help'),
    icon: 'help',
    for: 'both',
    needs: 'none',
    isPublic: true,
    load: () => import('./pages/help/page.tsx'),
  },
  {
    path: '/settings',
    title: t('Settings'),
    icon: 'settings',
    for: 'superuser',
    group: 'server',
    load: () => import('./pages/settings/page.tsx'),
  },
  {
    path: '/backups',
    title: t('Backups'),
    icon: 'backups',
    for: 'superuser',
    group: 'server',
    load: () => import('./pages/backups/page.tsx'),
  },
  {
    path: '/audit',
    title: t('Audit log'),
    icon: 'keys',
    for: 'superuser',
    group: 'server',
    load: () => import('./pages/audit/page.tsx'),
  },
  {
    path: '/logs',
    title: t('Logs'),
    icon: 'filter',
    for: 'superuser',
    group: 'server',
    load: () => import('./pages/logs/page.tsx'),
  },
]
