import type { ComponentType } from 'preact'
import type { Role, TeamRole } from './data/session.ts'
import { t } from './language/words.ts'
import type { IconName } from './parts/icon.tsx'
import type { PageProps } from './router.ts'

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

const FOR_ADMINS = { needs: 'admin', group: 'setup' } as const

/** A page whose code is in `pages/FOLDER`. */
const page = (
  folder: string,
  path: string,
  title: string,
  icon: IconName,
  rest: Omit<PageEntry, 'path' | 'title' | 'icon' | 'load'>,
): PageEntry => ({ path, title, icon, ...rest, load: FILES[`./pages/${folder}/page.tsx`]! })

/** All pages, in the order of the navigation. After a sign-in, the first page for the role opens. */
export const PAGES: readonly PageEntry[] = [
  page('conversations', '/conversations', t('Conversations'), 'conversations', {
    short: t('Inbox'),
    for: 'user',
    group: 'texts',
    bar: true,
    countsUnread: true,
  }),
  page('conversations', '/conversations/:number', t('Conversation'), 'conversations', {
    for: 'user',
  }),
  page('send', '/send', t('Send'), 'send', {
    for: 'user',
    needs: 'agent',
    group: 'texts',
    bar: true,
  }),
  page('send-list', '/send/list', t('Send to a list'), 'send', { for: 'user', needs: 'agent' }),
  page('health', '/health', t('Health'), 'health', {
    for: 'superuser',
    group: 'server',
    bar: true,
  }),
  page('users', '/users', t('Users'), 'users', { for: 'superuser', group: 'server', bar: true }),
  page('messages', '/messages', t('Messages'), 'messages', {
    for: 'both',
    group: 'texts',
    bar: true,
  }),
  page('message', '/messages/:id', t('Message'), 'messages', { for: 'both' }),
  page('campaigns', '/campaigns', t('Campaigns'), 'campaigns', { for: 'user', group: 'texts' }),
  page('campaign', '/campaigns/:id', t('Campaign'), 'campaigns', { for: 'user' }),
  page('scheduled', '/scheduled', t('Scheduled'), 'clock', { for: 'user', group: 'texts' }),
  page('answers', '/answers', t('Automatic answers'), 'answers', {
    for: 'user',
    group: 'texts',
  }),
  page('contacts', '/contacts', t('Contacts'), 'contacts', {
    for: 'user',
    group: 'people',
    bar: true,
  }),
  page('contact', '/contacts/:id', t('Contact'), 'contacts', { for: 'user' }),
  page('groups', '/groups', t('Groups'), 'groups', { for: 'user', group: 'people' }),
  page('group', '/groups/:id', t('Group'), 'groups', { for: 'user' }),
  page('templates', '/templates', t('Templates'), 'templates', { for: 'user', group: 'people' }),
  page('persons', '/personal-data', t('Personal data'), 'person', {
    for: 'user',
    needs: 'admin',
    group: 'people',
  }),
  page('person', '/personal-data/:number', t('Personal data'), 'person', {
    for: 'user',
    needs: 'admin',
  }),
  page('request', '/personal-data/requests/:id', t('Personal data'), 'person', {
    for: 'user',
    needs: 'admin',
  }),
  page('devices', '/devices', t('Devices'), 'devices', { for: 'both', group: 'setup' }),
  page('device', '/devices/:id', t('Device'), 'devices', { for: 'both' }),
  page('carrier', '/devices/:id/carrier', t('Device'), 'devices', { for: 'user', needs: 'owner' }),
  page('keys', '/keys', t('API keys'), 'keys', { for: 'both', ...FOR_ADMINS }),
  page('verify', '/verify', t('Verification codes'), 'verify', {
    for: 'user',
    ...FOR_ADMINS,
  }),
  page('hooks', '/hooks', t('Incoming webhooks'), 'hooks', { for: 'user', ...FOR_ADMINS }),
  page('hook', '/hooks/:id', t('Incoming webhook'), 'hooks', { for: 'user', needs: 'admin' }),
  page('webhooks', '/webhooks', t('Outgoing webhooks'), 'webhooks', { for: 'both', ...FOR_ADMINS }),
  page('webhook', '/webhooks/:id', t('Outgoing webhook'), 'webhooks', {
    for: 'both',
    needs: 'admin',
  }),
  page('team', '/team', t('Team'), 'users', { for: 'user', group: 'setup' }),
  page('usage', '/usage', t('Usage'), 'usage', { for: 'both', group: 'setup' }),
  page('account', '/account', t('Account'), 'contacts', { for: 'both', needs: 'none' }),
  page('help', '/help', t('Help'), 'help', { for: 'both', needs: 'none', isPublic: true }),
  page('help', '/help/:section', t('Help'), 'help', { for: 'both', needs: 'none', isPublic: true }),
  page('settings', '/settings', t('Settings'), 'settings', { for: 'superuser', group: 'server' }),
  page('backups', '/backups', t('Backups'), 'backups', { for: 'superuser', group: 'server' }),
  page('collections', '/collections', t('Collections'), 'collections', {
    for: 'superuser',
    group: 'server',
  }),
  page('collection', '/collections/:name', t('Collection'), 'collections', { for: 'superuser' }),
  page('audit', '/audit', t('Audit log'), 'audit', { for: 'superuser', group: 'server' }),
  page('logs', '/logs', t('Logs'), 'logs', { for: 'superuser', group: 'server' }),
]
