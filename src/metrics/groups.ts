import { CLIENT_PATH, canonicalPath } from '../smsgate-client/path.ts'

/** What requests are counted as: never a path, whose parts are ids. */
export type Group = string

/** Groups by the segment after `/api/`. */
const BY_SEGMENT: ReadonlyMap<string, Group> = new Map([
  ['batch', 'batch'],
  ['collections', 'collections'],
  ['devices', 'devices'],
  ['files', 'files'],
  ['mobile', 'mobile'],
  ['3rdparty', 'smsgate_clients'],
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

/** Requests of their own kind within a group: what waits for long would hide how long the others take. */
const SPECIAL: ReadonlyMap<string, Group> = new Map([
  ['POST /api/sms/send', 'send'],
  ['POST /api/sms/send-template', 'send'],
  [`POST ${CLIENT_PATH}/messages`, 'send'],
  ['POST /api/devices/claim', 'claim'],
  ['GET /api/realtime', 'streams'],
  ['GET /api/realtime/', 'streams'],
  ['GET /api/devices/events', 'streams'],
  ['GET /api/mobile/v1/events', 'streams'],
])

/** Open as long as somebody listens: counted, but not timed, and not waited for when the server stops. */
export const STREAMS: Group = 'streams'

/** Groups of paths outside of the API. */
const OUTSIDE: ReadonlyMap<string, Group> = new Map([
  ['/metrics', 'metrics'],
  ['/mcp', 'mcp'],
])

const API = '/api/'
const COLLECTIONS = '/api/collections/'

/** The group of a request by its method and URL, `pages` for what is not in the API. */
export function groupOf(method: string, url: string): Group {
  const query = url.indexOf('?')
  const path = canonicalPath(query < 0 ? url : url.slice(0, query))
  if (path.startsWith('/2010-04-01/')) return 'twilio'
  if (!path.startsWith(API)) return OUTSIDE.get(path) ?? 'pages'
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
