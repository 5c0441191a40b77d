import type { Collection } from '../../engine/collections/collection.ts'
import type { RateLimitRule, Settings } from '../../engine/settings/settings-shape.ts'
import { toNetwork } from '../../platform/limits/limit-holder.ts'

/** Names that rate limits use for a collection's routes. `*` matches one path segment. Contract 8.3 */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'GET records': ['list'],
  'GET records/*': ['view'],
  'POST records': ['create'],
  'PATCH records/*': ['update'],
  'DELETE records/*': ['delete'],
  'GET auth-methods': ['listAuthMethods'],
  'POST auth-refresh': ['authRefresh'],
  'POST auth-with-password': ['authWithPassword', 'auth'],
  'POST auth-with-oauth2': ['authWithOAuth2', 'auth'],
  'POST auth-with-otp': ['authWithOTP', 'auth'],
  'POST request-otp': ['requestOTP'],
  'POST request-password-reset': ['requestPasswordReset'],
  'POST confirm-password-reset': ['confirmPasswordReset'],
  'POST request-verification': ['requestVerification'],
  'POST confirm-verification': ['confirmVerification'],
  'POST request-email-change': ['requestEmailChange'],
  'POST confirm-email-change': ['confirmEmailChange'],
}

const IN_COLLECTION = /^\/api\/collections\/([^/]+)\/(.+)$/

const FILE = /^\/api\/files\/([^/]+)\/[^/]+\/[^/]+$/

function readPath(method: string, path: string) {
  const asGet = method === 'HEAD' ? 'GET' : method
  const [, collection, rest] = IN_COLLECTION.exec(path) ?? []
  if (collection && rest) {
    const actions = ACTIONS[`${asGet} ${rest.replace(/^records\/[^/]+$/, 'records/*')}`]
    return actions && { collection, actions }
  }
  const [, ofFile] = FILE.exec(path) ?? []
  return ofFile && asGet === 'GET' ? { collection: ofFile, actions: ['file'] } : undefined
}

/** The rate limit labels of a request, the most specific first. `countedAs`: see RateLimitSubject. */
export function listRateLimitLabels(
  method: string,
  path: string,
  find: (nameOrId: string) => Collection | undefined,
): { labels: string[]; countedAs: string } {
  const named = readPath(method, path)
  const collection = named && find(named.collection)
  const plain = [`${method} ${path}`, path]
  if (!collection) return { labels: plain, countedAs: '' }
  const own = named.actions.map((action) => `${collection.name}:${action}`)
  const any = named.actions.map((action) => `*:${action}`)
  return {
    labels: [...own, ...any, ...plain],
    countedAs: `${collection.id} ${named.actions.join(' ')}`,
  }
}

interface RateLimitSubject {
  readonly ip: string
  readonly isSignedIn: boolean
  readonly labels: readonly string[]
  /**
   * Names the counter of a collection's route (collection id and actions). '' for other routes: the rule's
   * label is the name of their counter.
   */
  readonly countedAs: string
}

interface Window {
  taken: number
  startS: number
}

/** The first rule found for a request: per label, a rule with the label, else one with a parent path. */
export function findRule(rules: readonly RateLimitRule[], asked: RateLimitSubject) {
  const fitting = rules.filter(
    ({ audience }) => audience === '' || audience === (asked.isSignedIn ? '@auth' : '@guest'),
  )
  const paths = fitting.filter(({ label }) => label.endsWith('/'))
  for (const label of asked.labels) {
    const rule =
      fitting.find((one) => one.label === label) ??
      paths.find((one) => `${label}/`.startsWith(one.label))
    if (rule) return rule
  }
  return undefined
}

/**
 * Counts requests per rule and address. One customer has all addresses of an IPv6 /64 network, so they count
 * as one. PocketBase: apis/middlewares_rate_limit.go, contract 8.3
 */
export class RateLimiter {
  #limits: Settings['rateLimits'] | undefined
  #windows = new Map<string, Map<string, Window>>()
  #nextSweepS = 0

  allows(limits: Settings['rateLimits'], asked: RateLimitSubject, nowMs = Date.now()): boolean {
    const rule = findRule(limits.rules, asked)
    if (!rule) return true
    if (limits !== this.#limits) this.#windows = new Map()
    this.#limits = limits
    const nowS = Math.floor(nowMs / 1000)
    this.#sweep(nowS)
    return this.#take(
      `${asked.countedAs || rule.label}${rule.audience}`,
      toNetwork(asked.ip),
      rule,
      nowS,
    )
  }

  #take(counter: string, ip: string, rule: RateLimitRule, nowS: number): boolean {
    const clients = this.#windows.get(counter) ?? new Map<string, Window>()
    this.#windows.set(counter, clients)
    const known = clients.get(ip)
    const window = known && nowS - known.startS < rule.duration ? known : { taken: 0, startS: nowS }
    clients.set(ip, window)
    if (window.taken >= rule.maxRequests) return false
    window.taken++
    return true
  }

  /** Deletes expired counts, to bound memory. */
  #sweep(nowS: number): void {
    if (nowS < this.#nextSweepS) return
    this.#nextSweepS = nowS + SWEEP_S
    const longest = Math.max(0, ...(this.#limits?.rules ?? []).map(({ duration }) => duration))
    for (const clients of this.#windows.values()) {
      for (const [ip, { startS }] of clients) if (nowS - startS > longest) clients.delete(ip)
    }
  }
}

const SWEEP_S = 60
