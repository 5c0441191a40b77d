import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/platform/config.ts'
import { createLogger } from '../../src/platform/log.ts'
import { EmbeddedData, makeDatabase } from '../support/database/embedded-data.ts'
import { type OpenDb, openDb } from '../support/database/open.ts'
import { type Client, makeUser, pairDevice, signIn } from '../support/server/server-with-devices.ts'
import { SUPERUSER } from '../support/server/start.ts'
import { until as untilTrue } from '../support/until.ts'
import { judgeAtRest } from './judge.ts'
import { ServerNode } from './node.ts'
import { Phone } from './phone.ts'
import type { Outcome, ScenarioContext } from './scenario.ts'
import { Senders } from './senders.ts'

/** What a site is made of. */
interface SiteOptions {
  readonly basePort: number
  readonly nodes?: number
  readonly env?: Readonly<Record<string, string>>
  /** The folder of another version, which makes the database and serves. */
  readonly home?: string
  /** How each server reaches a Postgres that the scenario brings. Else the site has an embedded one. */
  readonly databaseUrls?: readonly string[]
}

/** Servers on one database, and phones. Scenarios read the database directly to judge. */
export class Site {
  readonly nodes: ServerNode[]
  /** Undefined on a Postgres of the scenario. */
  readonly embedded: EmbeddedData | undefined
  readonly db: OpenDb
  readonly phones: Phone[] = []
  readonly folder: string

  private constructor(
    nodes: ServerNode[],
    embedded: EmbeddedData | undefined,
    db: OpenDb,
    folder: string,
  ) {
    this.nodes = nodes
    this.embedded = embedded
    this.db = db
    this.folder = folder
  }

  static async open({
    basePort,
    nodes = 1,
    env = {},
    home,
    databaseUrls,
  }: SiteOptions): Promise<Site> {
    const folder = mkdtempSync(join(tmpdir(), 'pocketsms-torture-'))
    const TMPDIR = temporaryFolderOf(folder)
    mkdirSync(TMPDIR)
    const embedded = databaseUrls ? undefined : new EmbeddedData(join(folder, 'data'))
    const places =
      databaseUrls?.map((DATABASE_URL) => ({
        DATABASE_URL,
        DATA_DIR: folder,
        LOG_LEVEL: 'error',
      })) ?? Array.from({ length: nodes }, () => embedded!.env)
    makeDatabase(places[0]!, home)
    const all = places.map(
      (place, i) => new ServerNode(basePort + i, { ...place, TMPDIR, ...env }, home),
    )
    for (const node of all) await node.start()
    const url = embedded?.url ?? databaseUrls![0]
    const config = readConfig({ DATABASE_URL: url, DATABASE_POOL: '2' })
    const db = await openDb(config, createLogger({ ...config, logLevel: 'silent' }))
    return new Site(all, embedded, db, folder)
  }

  get url(): string {
    return this.nodes[0]!.url
  }

  /** Where the servers keep their temporary files. */
  get temporaryFolder(): string {
    return temporaryFolderOf(this.folder)
  }

  /** The superuser. */
  signInRoot(): Promise<Client> {
    return signIn(this.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  }

  /** A user who is signed in. */
  async makeUser(values: Readonly<Record<string, unknown>> = {}): Promise<Client> {
    return makeUser(this.url, await this.signInRoot(), values)
  }

  /** A phone of a user, paired and off. `url`: how it reaches the server; `driver`: options of its agent. */
  async addPhone(user: Client, url = this.url, driver?: readonly string[]): Promise<Phone> {
    const { body } = await user.call('POST', '/api/devices/pairing', {})
    const phone = await Phone.pair(url, body.code, this.folder, `phone-${body.code}`, driver)
    this.phones.push(phone)
    return phone
  }

  /** A device of a user that the caller plays. */
  addDevice(user: Client): Promise<Client> {
    return pairDevice(this.url, user, { platform: 'simulator' })
  }

  /** The one value of a statement. */
  async value(text: string, params: readonly unknown[] = []): Promise<number> {
    return Number((await this.db.query(text, params)).rows[0]?.[0])
  }

  /** Until the queue is empty; throws with what is in it when it is not within `seconds`. */
  async drain(seconds: number): Promise<void> {
    const isEmpty = async () => (await this.value('select count(*) from sms_dispatch')) === 0
    await until('the queue is empty', isEmpty, seconds).catch(async ({ message }: Error) => {
      const { rows } = await this.db.query(
        `select state, device, attempt, lease_until > now(), count(*), min(queued_at), max(queued_at)
        from sms_dispatch group by 1, 2, 3, 4`,
      )
      throw new Error(
        `${message} State, device, attempt, leased, count, since, until: ${JSON.stringify(rows)}`,
      )
    })
  }

  async close(): Promise<void> {
    for (const phone of this.phones) await phone.kill()
    for (const node of this.nodes) await node.stop()
    await this.db.close()
    await this.embedded?.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const temporaryFolderOf = (folder: string) => join(folder, 'tmp')

/** Waits until something is so; a query that fails counts as no. Throws after `seconds`. */
export const until = (what: string, isSo: () => Promise<boolean>, seconds: number) =>
  untilTrue(what, () => isSo().catch(() => false), seconds * 1_000)

const SENDERS = 16
const PHONES = 3
const PAUSE_MS = 150
/** Short, so that what a fault left open comes to its end while we watch. */
const LEASE_SECONDS = 10
const DRAIN_SECONDS = 180

export interface Busy {
  readonly site: Site
  readonly user: Client
  readonly senders: Senders
}

/** What a scenario does to a site at work; what it found wrong by itself. */
export type Strike = (busy: Busy) => Promise<readonly string[]>

/** A site with 16 senders and 3 phones at work, struck, then left to finish, then judged. */
export async function strikeBusySite(
  context: ScenarioContext,
  strike: Strike,
  databaseUrls?: SiteOptions['databaseUrls'],
): Promise<Outcome> {
  const env = { LEASE_SECONDS: String(LEASE_SECONDS) }
  const site = await Site.open({ ...context, ...(databaseUrls && { databaseUrls }), env })
  try {
    const user = await site.makeUser()
    const urls = site.nodes.map(({ url }) => url)
    for (let i = 0; i < PHONES; i++) await site.addPhone(user, urls[i % urls.length])
    for (const phone of site.phones) phone.start()
    const senders = new Senders({ urls, user, count: SENDERS, pauseMs: PAUSE_MS })
    senders.start()
    await sleep(500)
    const struck = await strike({ site, user, senders })
    for (const node of site.nodes) node.checkAlive()
    const { faults, figures } = await judgeAtRest(site, user, senders, DRAIN_SECONDS)
    const refused = [...senders.refused].map(([why, times]) => `answered ${times} times: ${why}`)
    return {
      faults: [...struck, ...refused, ...faults],
      figures: `${figures}; ${senders.unknown} answers lost and not asked for again`,
    }
  } finally {
    await site.close()
  }
}
