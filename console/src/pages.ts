import type { ComponentType } from 'preact'
import type { Role, TeamRole } from './data/session.ts'
import { t } from './language/words.ts'
import type { IconName } from './parts/icon.tsx'
import type { PageProps } from './router.ts'

export interface PageEntry {
  /** The path after `#` in the URL. A part with a colon is a parameter. */
  readonly path: string
  readonly title: string
  /** A shorter title for the bottom bar on phones, and for tabs. */
  readonly short?: string
  readonly icon: IconName
  readonly for: Role | 'both'
  /** The lowest team role that may see the page; absent: viewer. */
  readonly needs?: TeamRole
  /** The page's group in the navigation; absent if only other pages link to the page. */
  readonly group?: 'work' | 'rest' | 'setup' | 'server'
  /** Pages of one section are tabs. The navigation shows the first that the person has. */
  readonly section?: 'send' | 'contacts'
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
const OF_SEND = { group: 'work', section: 'send' } as const
const OF_CONTACTS = { group: 'work', section: 'contacts' } as const

/** A page whose code is in `pages/FOLDER`. */
const makePage = (
  folder: string,
  path: string,
  title: string,
  icon: IconName,
  rest: Omit<PageEntry, 'path' | 'title' | 'icon' | 'load'>,
): PageEntry => ({ path, title, icon, ...rest, load: FILES[`./pages/${folder}/page.tsx`]! })

/** All pages, in the order of the navigation. After a sign-in, `chooseStartPath` opens one. */
export const PAGES: readonly PageEntry[] = [
  makePage('conversations', '/conversations', t('Conversations'), 'conversations', {
    short: t('Inbox'),
    for: 'user',
    group: 'work',
    bar: true,
    countsUnread: true,
  }),
  makePage('conversations', '/conversations/:number', t('Conversation'), 'conversations', {
    for: 'user',
  }),
  makePage('send', '/send', t('Send'), 'send', {
    for: 'user',
    needs: 'agent',
    ...OF_SEND,
    bar: true,
  }),
  makePage('send-list', '/send/list', t('Send to a list'), 'send', { for: 'user', needs: 'agent' }),
  makePage('campaigns', '/campaigns', t('Campaigns'), 'campaigns', { for: 'user', ...OF_SEND }),
  makePage('reminder', '/campaigns/reminder', t('New reminder'), 'clock', {
    for: 'user',
    needs: 'admin',
  }),
  makePage('campaign', '/campaigns/:id', t('Campaign'), 'campaigns', { for: 'user' }),
  makePage('scheduled', '/scheduled', t('Scheduled'), 'clock', { for: 'user', ...OF_SEND }),
  makePage('contacts', '/contacts', t('Contacts'), 'contacts', {
    for: 'user',
    ...OF_CONTACTS,
    bar: true,
  }),
  makePage('groups', '/groups', t('Groups'), 'groups', { for: 'user', ...OF_CONTACTS }),
  makePage('group', '/groups/:id', t('Group'), 'groups', { for: 'user' }),
  makePage('labels', '/labels', t('Labels'), 'tag', { for: 'user', ...OF_CONTACTS }),
  makePage('contact-fields', '/contacts/fields', t('Fields of contacts'), 'contacts', {
    short: t('Fields'),
    for: 'user',
    needs: 'admin',
    ...OF_CONTACTS,
  }),
  makePage('contact', '/contacts/:id', t('Contact'), 'contacts', { for: 'user' }),
  makePage('persons', '/personal-data', t('Personal data'), 'person', {
    for: 'user',
    needs: 'admin',
    ...OF_CONTACTS,
  }),
  makePage('person', '/personal-data/:number', t('Personal data'), 'person', {
    for: 'user',
    needs: 'admin',
  }),
  makePage('request', '/personal-data/requests/:id', t('Personal data'), 'person', {
    for: 'user',
    needs: 'admin',
  }),
  makePage('today', '/today', t('Today'), 'today', { for: 'user', needs: 'agent', group: 'work' }),
  makePage('health', '/health', t('Health'), 'health', {
    for: 'superuser',
    group: 'server',
    bar: true,
  }),
  makePage('users', '/users', t('Users'), 'users', {
    for: 'superuser',
    group: 'server',
    bar: true,
  }),
  makePage('messages', '/messages', t('Messages'), 'messages', {
    for: 'both',
    group: 'rest',
    bar: true,
  }),
  makePage('message', '/messages/:id', t('Message'), 'messages', { for: 'both' }),
  makePage('set-up', '/set-up', t('Set up'), 'settings', { for: 'user', group: 'rest' }),
  makePage('devices', '/devices', t('Devices'), 'devices', { for: 'both', group: 'setup' }),
  makePage('device', '/devices/:id', t('Device'), 'devices', { for: 'both' }),
  makePage('carrier', '/devices/:id/carrier', t('Device'), 'devices', {
    for: 'user',
    needs: 'owner',
  }),
  makePage('templates', '/templates', t('Templates'), 'templates', { for: 'user', group: 'setup' }),
  makePage('answers', '/answers', t('Automatic answers'), 'answers', {
    for: 'user',
    group: 'setup',
  }),
  makePage('keys', '/keys', t('API keys'), 'keys', { for: 'both', ...FOR_ADMINS }),
  makePage('verify', '/verify', t('Verification codes'), 'verify', {
    for: 'user',
    ...FOR_ADMINS,
  }),
  makePage('hooks', '/hooks', t('Incoming webhooks'), 'hooks', { for: 'user', ...FOR_ADMINS }),
  makePage('hook', '/hooks/:id', t('Incoming webhook'), 'hooks', { for: 'user', needs: 'admin' }),
  makePage('webhooks', '/webhooks', t('Outgoing webhooks'), 'webhooks', {
    for: 'both',
    ...FOR_ADMINS,
  }),
  makePage('webhook', '/webhooks/:id', t('Outgoing webhook'), 'webhooks', {
    for: 'both',
    needs: 'admin',
  }),
  makePage('team', '/team', t('Team'), 'users', { for: 'user', group: 'setup' }),
  makePage('usage', '/usage', t('Usage'), 'usage', { for: 'both', group: 'setup' }),
  makePage('account', '/account', t('Account'), 'contacts', { for: 'both', needs: 'none' }),
  makePage('help', '/help', t('Help'), 'help', { for: 'both', needs: 'none', isPublic: true }),
  makePage('help', '/help/:section', t('Help'), 'help', {
    for: 'both',
    needs: 'none',
    isPublic: true,
  }),
  makePage('settings', '/settings', t('Settings'), 'settings', {
    for: 'superuser',
    group: 'server',
  }),
  makePage('backups', '/backups', t('Backups'), 'backups', { for: 'superuser', group: 'server' }),
  makePage('collections', '/collections', t('Collections'), 'collections', {
    for: 'superuser',
    group: 'server',
  }),
  makePage('collection', '/collections/:name', t('Collection'), 'collections', {
    for: 'superuser',
  }),
  makePage('audit', '/audit', t('Audit log'), 'audit', { for: 'superuser', group: 'server' }),
  makePage('logs', '/logs', t('Logs'), 'logs', { for: 'superuser', group: 'server' }),
]
