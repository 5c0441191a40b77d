/** What requests are counted as: never a path, whose parts are ids. */
export type Group = string

/** What the requests of a protocol of others are counted as: some by method and path, else all the same. */
export interface CountedProtocol {
  readonly group: Group
  readonly groups?: Readonly<Record<string, Group>>
}

/** Groups by the segment after `/api/`. */
const BY_SEGMENT: ReadonlyMap<string, Group> = new Map([
  ['batch', 'batch'],
  ['collections', 'collections'],
  ['devices', 'devices'],
  ['files', 'files'],
  ['realtime', 'realtime'],
  ['settings', 'settings'],
  ['sms', 'sms'],
  ['webhooks', 'webhooks'],
  ['health', 'health'],
  ['ready', 'health'],
  ['oauth2-redirect', 'auth'],
  ['logs', 'admin'],
  ['audit', 'admin'],
  ['crons', 'admin'],
  ['warnings', 'admin'],
  ['jobs', 'admin'],
  ['backups', 'admin'],
  ['backup-status', 'admin'],
])

/** Open as long as somebody listens: counted, but not timed, and not waited for when the server stops. */
export const STREAMS: Group = 'streams'
/** Requests that send texts. */
export const SENDS: Group = 'send'

/** Requests of their own kind within a group: what waits for long would hide how long the others take. */
const SPECIAL: ReadonlyMap<string, Group> = new Map([
  ['POST /api/sms/send', SENDS],
  ['POST /api/sms/send-template', SENDS],
  ['POST /api/devices/claim', 'claim'],
  ['GET /api/realtime', STREAMS],
  ['GET /api/realtime/', STREAMS],
  ['GET /api/devices/events', STREAMS],
])

const API = '/api/'
const COLLECTIONS = '/api/collections/'

/** The group of a request, `pages` for what is not in the API. `protocol`: whose path it is, if one's. */
export function groupOf(method: string, path: string, protocol?: CountedProtocol): Group {
  if (protocol) return protocol.groups?.[`${method} ${path}`] ?? protocol.group
  if (!path.startsWith(API)) return path === '/metrics' ? 'metrics' : 'pages'
  if (path.startsWith(COLLECTIONS)) return groupInCollections(path)
  const special = SPECIAL.get(`${method} ${path}`)
  if (special) return special
  const end = path.indexOf('/', API.length)
  return BY_SEGMENT.get(end < 0 ? path.slice(API.length) : path.slice(API.length, end)) ?? 'other'
}

/** `…/X/records…` are records, `…/X` and `…/X/truncate` collections, export, the rest sign-in. */
function groupInCollections(path: string): Group {
  const slash = path.indexOf('/', COLLECTIONS.length)
  if (slash < 0) return 'collections'
  if (path.startsWith('records', slash + 1)) return 'records'
  if (path.endsWith('/export')) return 'export'
  return path.startsWith('auth', slash + 1) || /^(?:request|confirm|impersonate)/.test(path.slice(slash + 1))
    ? 'auth'
    : 'collections'
}
