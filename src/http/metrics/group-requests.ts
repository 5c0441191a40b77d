/** Upper bounds of the buckets of durations, in seconds. */
export const BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export interface Series {
  readonly group: Group
  readonly method: string
  readonly byStatus: Map<number, number>
  readonly byDuration: Float64Array
  seconds: number
}

/** Counts and times requests by group, method and status: 50 ns, and 50 to 500 ns to find the group. */
export class Traffic {
  readonly #apis: readonly CountedApi[]
  readonly #series = new Map<string, Series>()

  constructor(apis: readonly CountedApi[]) {
    this.#apis = apis
  }

  /**
   * Counts a request and returns its group. `path`: from `readRoutedPath`.
   */
  count(verb: string, status: number, ms: number, path: string): Group {
    const group = findRequestGroup(verb, path, this.#apis)
    const method = METHODS.has(verb) ? verb : 'other'
    const name = `${group} ${method}`
    let series = this.#series.get(name)
    if (!series) {
      const byDuration = new Float64Array(group === STREAMS ? 0 : BUCKETS.length + 1)
      series = { group, method, byStatus: new Map(), byDuration, seconds: 0 }
      this.#series.set(name, series)
    }
    series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1)
    if (series.byDuration.length === 0) return group
    const seconds = ms / 1000
    series.seconds += seconds
    let at = 0
    while (at < BUCKETS.length && seconds > BUCKETS[at]!) at++
    series.byDuration[at]!++
    return group
  }

  [Symbol.iterator](): Iterator<Series> {
    return this.#series.values()
  }
}

/** A name under which requests are counted, such as `sms`. Not a path: each id in it would make a series. */
export type Group = string

/** How to count requests below some roots. `groups`: by method and path. `group`: all others. */
export interface CountedApi {
  /** All paths below these belong to the API, even without a route. */
  readonly roots: readonly string[]
  readonly group: Group
  readonly groups?: Readonly<Record<string, Group>>
}

/** The first API with this path; undefined for a path of PocketBase's API. */
export const findApi = <A extends CountedApi>(apis: readonly A[], path: string): A | undefined =>
  apis.find(({ roots }) => roots.some((root) => isBelow(root, path)))

export const isBelow = (root: string, path: string): boolean =>
  path.startsWith(root) && (path.length === root.length || path[root.length] === '/')

/** First segments of PocketBase's API that name a group. Those in ADMIN are all in the group `admin`. */
const NAMED = 'batch collections files realtime settings health'.split(' ')
const ADMIN = 'logs crons backups backup-status'.split(' ')
const BY_SEGMENT: ReadonlyMap<string, Group> = new Map([
  ...NAMED.map((segment) => [segment, segment] as const),
  ...ADMIN.map((segment) => [segment, 'admin'] as const),
  ['ready', 'health'],
  ['oauth2-redirect', 'auth'],
])

/** Long-lived responses: counted, but not timed, and not waited for when the server stops. */
export const STREAMS: Group = 'streams'

/** Requests counted apart, because they would distort the durations of their path's group. */
const SPECIAL: ReadonlyMap<string, Group> = new Map([
  ['GET /api/realtime', STREAMS],
  ['GET /api/realtime/', STREAMS],
])

const API = '/api/'
const COLLECTIONS = '/api/collections/'

/** The group of a request, `pages` for what is not in the API. */
export function findRequestGroup(method: string, path: string, apis: readonly CountedApi[]): Group {
  if (path.startsWith(COLLECTIONS)) return groupInCollections(path)
  const special = SPECIAL.get(`${method} ${path}`)
  if (special) return special
  const api = findApi(apis, path)
  if (api) return api.groups?.[`${method} ${path}`] ?? api.group
  if (!path.startsWith(API)) return path === '/metrics' ? 'metrics' : 'pages'
  const end = path.indexOf('/', API.length)
  return BY_SEGMENT.get(end < 0 ? path.slice(API.length) : path.slice(API.length, end)) ?? 'other'
}

/** The group of `/api/collections/X/…` by what follows X: `records`, `export`, `auth`, else `collections`. */
function groupInCollections(path: string): Group {
  const slash = path.indexOf('/', COLLECTIONS.length)
  if (slash < 0) return 'collections'
  if (path.startsWith('records', slash + 1)) return 'records'
  if (path.endsWith('/export')) return 'export'
  return path.startsWith('auth', slash + 1) ||
    /^(?:request|confirm|impersonate)/.test(path.slice(slash + 1))
    ? 'auth'
    : 'collections'
}
