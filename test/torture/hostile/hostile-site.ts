import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, makeUser, must, PASSWORD } from '../../support/server/server-with-devices.ts'
import type { Target } from '../attacks/attack.ts'
import { Site } from '../site.ts'
import { type Growth, processorSeconds } from './meter.ts'
import type { Noticed, VictimAccount } from './victim.ts'

const SIGNED_IN = '@request.auth.id != ""'

/** A server that does nothing but its own jobs takes less than this share of a core. */
const IDLE_SHARE = 0.25
const IDLE_MS = 200
const ACTIVE = `select count(*) from pg_stat_activity
  where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`

/** Beside the built-in collections: one that is open to guests, one for users, one where guests sign up. */
const COLLECTIONS = [
  {
    name: 'boards',
    type: 'base',
    rules: '',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'link', type: 'url' },
      { name: 'email', type: 'email' },
      { name: 'day', type: 'date' },
      { name: 'data', type: 'json' },
      { name: 'owner', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
      {
        name: 'file',
        type: 'file',
        maxSelect: 1,
        maxSize: 5 << 20,
        thumbs: ['100x100', '200x0', '0x300', '400x400t'],
      },
    ],
  },
  {
    name: 'albums',
    type: 'base',
    rules: SIGNED_IN,
    fields: [
      { name: 'title', type: 'text' },
      {
        name: 'file',
        type: 'file',
        maxSelect: 1,
        maxSize: 5 << 20,
        thumbs: ['100x100', '400x400t', '500x500b', '600x600f'],
      },
    ],
  },
  {
    name: 'clients',
    type: 'auth',
    rules: '',
    otp: { enabled: true },
    fields: [{ name: 'name', type: 'text' }],
  },
] as const

/** A server with default settings as a process of its own, on a new database, with a user as the victim. */
export class HostileSite implements Target {
  readonly root: Client
  readonly victim: VictimAccount
  readonly pid: number
  readonly #site: Site

  /** Bytes of memory that the server may have. */
  readonly maxRss: number

  private constructor(site: Site, root: Client, victim: VictimAccount, maxRss: number) {
    this.maxRss = maxRss
    this.#site = site
    this.root = root
    this.victim = victim
    this.pid = site.nodes[0]!.pid
  }

  /** `memory`: megabytes of the machine that the server sees, and is killed above. */
  static async open(basePort: number, memory?: number): Promise<HostileSite> {
    // attacks with webhooks and push have their receivers on this machine
    const env = { WEBHOOK_ALLOW_PRIVATE: 'true', ...(memory && limitMemory(memory)) }
    const site = await Site.open({ basePort, env })
    const root = await site.signInRoot()
    for (const collection of COLLECTIONS) await createCollection(root, collection)
    const { url } = site
    const user = await makeUser(url, root, { verified: true })
    const { id, token, email } = user
    const device = await site.addDevice(user)
    const victim = { url, id, token, email, password: PASSWORD, device: device.token }
    const maxRss = memory ? memory << 20 : Number.POSITIVE_INFINITY
    return new HostileSite(site, root, victim, maxRss)
  }

  get url(): string {
    return this.#site.url
  }

  get temporaryFolder(): string {
    return this.#site.temporaryFolder
  }

  makeUser = (): Promise<Client> => makeUser(this.url, this.root, { verified: true })

  addDevice = (user: Client): Promise<Client> => this.#site.addDevice(user)

  /** Throws with what it wrote when the server ended by itself. */
  checkAlive(): void {
    this.#site.nodes[0]!.checkAlive()
  }

  /**
   * Waits until the server and its database have ended what an attack or its preparation began, at most
   * `seconds`. What comes next is not to be blamed for it.
   */
  async settle(seconds: number): Promise<void> {
    for (const end = Date.now() + seconds * 1_000; Date.now() < end; await sleep(100)) {
      const before = await processorSeconds(this.pid)
      await sleep(IDLE_MS)
      const share = ((await processorSeconds(this.pid)) - before) / (IDLE_MS / 1_000)
      if (share < IDLE_SHARE && (await this.#site.value(ACTIVE)) === 0) break
    }
  }

  async close(): Promise<void> {
    await this.#site.nodes[0]!.kill()
    await this.#site.close()
  }
}

/** What Node and the server would see in a container: its memory, and a heap of half of it. */
function limitMemory(megabytes: number): Readonly<Record<string, string>> {
  const code = `process.constrainedMemory = () => ${megabytes << 20}`
  const module = `data:text/javascript,${encodeURIComponent(code)}`
  return { NODE_OPTIONS: `--max-old-space-size=${megabytes >> 1} --import=${module}` }
}

function createCollection(root: Client, { rules, ...values }: (typeof COLLECTIONS)[number]) {
  const all = {
    listRule: rules,
    viewRule: rules,
    createRule: rules,
    updateRule: SIGNED_IN,
    deleteRule: SIGNED_IN,
  }
  const dates = { name: 'created', type: 'autodate', onCreate: true }
  return must(root, 'POST', '/api/collections', {
    ...values,
    ...all,
    fields: [...values.fields, dates],
  })
}

/** What the victim may notice, in milliseconds: 99 of 100 requests and events, and the slowest. */
const [P99_MS, MAX_MS] = [250, 1_000]
/** 99 of 100 of its sends, beside a crowd of one kind. */
const SEND_P99_MS = 100
/** On a slower machine nothing can be told. */
const MAX_SLACKNESS = 8
const MAX_RSS_GROWTH = 200 << 20
/**
 * Of the peak over all attacks, beside a server that has just begun its work: V8 gives back little of what it
 * once had.
 */
const MAX_RSS_GROWTH_OVER_ALL = 300 << 20
const MAX_TEMPORARY_GROWTH = 300 << 20

/** What was measured during an attack. */
export interface Measured {
  readonly noticed: Noticed
  readonly growth: Growth
}

/** What breaks a bound. `isSlow`: times alone do, by less than twice, which a busy machine can cause, too. */
export interface Verdict {
  readonly faults: readonly string[]
  readonly isSlow: boolean
}

export const megabytes = (bytes: number): number => Math.round(bytes / (1 << 20))

/** The time that a share of all is below, in whole milliseconds. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

/**
 * By how much a machine may be slower than the bounds ask for: 1 if the victim alone, without an attack, had
 * a p99 of at most half the bound. A machine that is slow without an attack is as slow with one.
 */
export function slacknessOf({ noticed }: Measured): number {
  const slackness = (2 * quantile(noticed.times, 0.99)) / P99_MS
  return Math.min(Math.max(1, slackness), MAX_SLACKNESS)
}

/** `slackness` multiplies the bounds of time. `isCrowd`: sends have a bound of their own. */
export function judgeMeasured(
  { noticed, growth }: Measured,
  slackness: number,
  isCrowd: boolean,
): Verdict {
  const [p99Ms, maxMs] = [P99_MS * slackness, MAX_MS * slackness]
  const [p99, max] = [quantile(noticed.times, 0.99), quantile(noticed.times, 1)]
  const sendP99 = quantile(noticed.sends, 0.99)
  const slow = [
    ...(p99 > p99Ms ? [`p99 ${p99} ms`] : []),
    ...(isCrowd && sendP99 > SEND_P99_MS * slackness ? [`p99 of sends ${sendP99} ms`] : []),
    ...(max > maxMs ? [`a request took ${max} ms (${slowestOf(noticed)})`] : []),
  ]
  const failures = Object.entries(noticed.failures).map(([why, count]) => `${count} x ${why}`)
  const large = [
    ...(growth.rss > MAX_RSS_GROWTH ? [`memory grew by ${megabytes(growth.rss)} MB`] : []),
    ...(growth.temporary > MAX_TEMPORARY_GROWTH
      ? [`temporary files grew by ${megabytes(growth.temporary)} MB`]
      : []),
  ]
  const isSlow =
    slow.length > 0 && failures.length + large.length === 0 && p99 < 2 * p99Ms && max < 2 * maxMs
  return { faults: [...failures, ...slow, ...large], isSlow }
}

/** The same over all attacks together: what each of them leaves may add up. */
export function judgeAll(times: readonly number[], rssGrowth: number, slackness: number): string[] {
  const p99 = quantile(times, 0.99)
  return [
    ...(p99 > P99_MS * slackness ? [`all attacks: p99 ${p99} ms`] : []),
    ...(rssGrowth > MAX_RSS_GROWTH_OVER_ALL
      ? [`all attacks: memory grew by ${megabytes(rssGrowth)} MB`]
      : []),
  ]
}

const slowestOf = ({ slowest }: Noticed) =>
  Object.entries(slowest).toSorted((a, b) => b[1] - a[1])[0]?.[0]
