import type { RateLimitRule, Settings } from '../../settings/settings.ts'

export interface RateLimitSubject {
  readonly ip: string
  readonly isSignedIn: boolean
  /** Labels of rules that may apply, the most specific first. */
  readonly labels: readonly string[]
  /** The key to count by for rules that count each collection separately; '' to count by rule. */
  readonly countedAs: string
}

interface Window {
  taken: number
  startS: number
}

/** The rule that applies: for each label the rule of that name, else one whose path is a prefix of it. */
export function findRule(rules: readonly RateLimitRule[], asked: RateLimitSubject) {
  const fitting = rules.filter(
    ({ audience }) => audience === '' || audience === (asked.isSignedIn ? '@auth' : '@guest'),
  )
  const paths = fitting.filter(({ label }) => label.endsWith('/'))
  for (const label of asked.labels) {
    const rule =
      fitting.find((one) => one.label === label) ?? paths.find((one) => `${label}/`.startsWith(one.label))
    if (rule) return rule
  }
  return undefined
}

/** Counts requests per process, rule and address. PocketBase: apis/middlewares_rate_limit.go, contract 8.3 */
export class RateLimiter {
  #limits: Settings['rateLimits'] | undefined
  #windows = new Map<string, Map<string, Window>>()
  #nextSweepS = 0

  /** Counts the request and returns true if it is within the limits. */
  allows(limits: Settings['rateLimits'], asked: RateLimitSubject, nowMs = Date.now()): boolean {
    const rule = findRule(limits.rules, asked)
    if (!rule) return true
    if (limits !== this.#limits) this.#windows = new Map()
    this.#limits = limits
    const nowS = Math.floor(nowMs / 1000)
    this.#sweep(nowS)
    return this.#take(`${asked.countedAs || rule.label}${rule.audience}`, asked.ip, rule, nowS)
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

  /** Forgets addresses that have not been seen for long, so that their number has a bound. */
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
