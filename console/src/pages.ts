import type { ComponentType } from 'preact'
import type { Role, TeamRole } from './data/session.ts'
import { t } from './language/words.ts'
import type { IconName } from './parts/icon.tsx'

export interface PageProps {
  /** The values of the path's parameters: `id` for `/messages/:id`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

export interface PageEntry {
  /** The path after `#` in the URL. A part with a colon is a parameter. */
  readonly path: string
  readonly title: string
  /** A shorter title for the bottom bar on phones. */
  readonly short?: string
  readonly icon: IconName
  readonly for: Role | 'both'
  /** The lowest team role that may see the page; absent: viewer. */
  readonly needs?: TeamRole
  /** The page's group in the navigation; absent if only other pages link to the page. */
  readonly group?: 'texts' | 'people' | 'setup' | 'server'
  /** Whether a phone's bottom bar shows the page. Other pages are behind "More". */
  readonly bar?: boolean
  /** Whether the page's link shows the number of unread conversations. */
  readonly countsUnread?: boolean
  /** Whether people who are not signed in can open the page, too. */
  readonly isPublic?: boolean
  readonly load: () => Promise<PageFile>
}

interface PageFile {
  readonly Page: ComponentType<PageProps>
}

const FILES = import.meta.glob<PageFile>('./pages/*/page.tsx')

/**
 * The folder of a page: `list` for `/send/list`, `message` for `/messages/:id`, `help` for `/help/:section`.
 */
const folderOf = (path: string) => path.replace('s/:id', '').replace(/\/:.*/, '').split('/').at(-1)

const FOR_ADMINS = { needs: 'admin', group: 'setup' } as const

const ENTRIES: readonly Omit<PageEntry, 'load'>[] = [
  {
    path: '/conversations',
    title: t('Conversations'),
    short: t('Inbox'),
    icon: 'conversations',
    for: 'user',
    group: 'texts',
    bar: true,
    countsUnread: true,
  },
  { path: '/conversations/:number', title: t('Conversation'), icon: 'conversations', for: 'user' },
  { path: '/send', title: t('Send'), icon: 'send', for: 'user', needs: 'agent', group: 'texts', bar: true },
  { path: '/send/list', title: t('Send to a list'), icon: 'send', for: 'user', needs: 'agent' },
  { path: '/health', title: t('Health'), icon: 'health', for: 'superuser', group: 'server', bar: true },
  { path: '/users', title: t('Users'), icon: 'users', for: 'superuser', group: 'server', bar: true },
  { path: '/messages', title: t('Messages'), icon: 'messages', for: 'both', group: 'texts', bar: true },
  { path: '/messages/:id', title: t('Message'), icon: 'messages', for: 'both' },
  { path: '/campaigns', title: t('Campaigns'), icon: 'campaigns', for: 'user', group: 'texts' },
  { path: '/campaigns/:id', title: t('Campaign'), icon: 'campaigns', for: 'user' },
  { path: '/answers', title: t('Automatic answers'), icon: 'answers', for: 'user', group: 'texts' },
  { path: '/contacts', title: t('Contacts'), icon: 'contacts', for: 'user', group: 'people', bar: true },
  { path: '/groups', title: t('Groups'), icon: 'groups', for: 'user', group: 'people' },
  { path: '/templates', title: t('Templates'), icon: 'templates', for: 'user', group: 'people' },
  { path: '/devices', title: t('Devices'), icon: 'devices', for: 'both', group: 'setup' },
  { path: '/devices/:id', title: t('Device'), icon: 'devices', for: 'both' },
  { path: '/keys', title: t('API keys'), icon: 'keys', for: 'both', ...FOR_ADMINS },
  { path: '/verify', title: t('Verification codes'), icon: 'verify', for: 'user', ...FOR_ADMINS },
  { path: '/hooks', title: t('Incoming webhooks'), icon: 'hooks', for: 'user', ...FOR_ADMINS },
  { path: '/hooks/:id', title: t('Incoming webhook'), icon: 'hooks', for: 'user', needs: 'admin' },
  { path: '/webhooks', title: t('Outgoing webhooks'), icon: 'webhooks', for: 'both', ...FOR_ADMINS },
  { path: '/webhooks/:id', title: t('Outgoing webhook'), icon: 'webhooks', for: 'both', needs: 'admin' },
  { path: '/team', title: t('Team'), icon: 'users', for: 'user', group: 'setup' },
  { path: '/usage', title: t('Usage'), icon: 'usage', for: 'both', group: 'setup' },
  { path: '/account', title: t('Account'), icon: 'contacts', for: 'both', needs: 'none' },
  { path: '/help', title: t('Help'), icon: 'help', for: 'both', needs: 'none', isPublic: true },
  { path: '/help/:section', title: t('Help'), icon: 'help', for: 'both', needs: 'none', isPublic: true },
  { path: '/settings', title: t('Settings'), icon: 'settings', for: 'superuser', group: 'server' },
  { path: '/backups', title: t('Backups'), icon: 'backups', for: 'superuser', group: 'server' },
  { path: '/audit', title: t('Audit log'), icon: 'audit', for: 'superuser', group: 'server' },
  { path: '/logs', title: t('Logs'), icon: 'logs', for: 'superuser', group: 'server' },
]

/** All pages, in the order of the navigation. After a sign-in, the first page for the role opens. */
export const PAGES: readonly PageEntry[] = ENTRIES.map((entry) => ({
  ...entry,
  load: FILES[`./pages/${folderOf(entry.path)}/page.tsx`]!,
}))
