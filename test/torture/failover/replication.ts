import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createDatabase,
  freePort,
  onServer,
  startPostgres,
  startReplica,
  type TemporaryPostgres,
} from '../../support/database/postgres.ts'
import { Disk, whyNoDisk } from '../disk.ts'
import { until } from '../site.ts'
import { type Cluster, FULL_MS, processesIn, signal } from './cluster.ts'

/** A server notices within 10 s that its primary stands still. */
const MAX_OUTAGE_MS = 15_000
/** How long a primary that stood still runs beside the new one. */
const BESIDE_MS = 3_000

/** Where a Postgres is, whichever runs there. */
interface Place {
  readonly port: number
  readonly disk: Disk | undefined
}

interface Member extends Place {
  readonly postgres: TemporaryPostgres
}

/** Streaming replication in the hands of an operator who promotes at once. */
export class Replication implements Cluster {
  readonly databaseUrls: readonly [string, string]
  readonly maxOutageMs = MAX_OUTAGE_MS
  readonly strikes: Cluster['strikes'] = {
    'kill -9': async () => {
      signal(this.#processes(), 'SIGKILL')
      await this.#promote()
    },
    'stall and return': async () => {
      signal(this.#processes(), 'SIGSTOP')
      await this.#promote()
    },
    switchover: async () => {
      await this.#primary.postgres.stop()
      await this.#promote()
    },
    ...(whyNoDisk() === undefined && { 'full disk': () => this.#fillDisk() }),
  }
  readonly #places: readonly Place[]
  readonly #front: Server
  #primary: Member
  #standby: Member | undefined
  /** The primary of before, until its place has a standby. */
  #old: Member | undefined

  private constructor(places: readonly Place[], primary: Member, url: string, frontPort: number) {
    this.#places = places
    this.#primary = primary
    this.#front = createServer((near) => {
      const far = connect(this.#primary.port, '127.0.0.1')
      near.on('error', () => far.destroy())
      far.on('error', () => near.destroy())
      near.pipe(far).pipe(near)
    }).listen(frontPort, '127.0.0.1')
    const { host } = new URL(url)
    const hosts = places.map(({ port }) => `127.0.0.1:${port}`).join(',')
    this.databaseUrls = [url.replace(host, hosts), url.replace(host, `127.0.0.1:${frontPort}`)]
  }

  static async start(): Promise<Replication> {
    const [first, second, frontPort] = [await freePort(), await freePort(), await freePort()]
    const place = (port: number) => ({ port, disk: whyNoDisk() ? undefined : new Disk() })
    const places = [place(first), place(second)]
    const postgres = await startPostgres(optionsOf(places[0]!))
    const url = await createDatabase(postgres.url)
    const cluster = new Replication(places, { ...places[0]!, postgres }, url, frontPort)
    await cluster.#addStandby(places[1]!)
    return cluster
  }

  async repair(): Promise<void> {
    const old = this.#old
    if (!old) return
    this.#old = undefined
    signal(processesOf(old), 'SIGCONT')
    await sleep(BESIDE_MS)
    signal(processesOf(old), 'SIGKILL')
    await old.postgres.stop()
    await this.#addStandby(old)
  }

  async stop(): Promise<void> {
    this.#front.close()
    for (const member of [this.#old, this.#standby, this.#primary]) {
      if (!member) continue
      signal(processesOf(member), 'SIGKILL')
      await member.postgres.stop()
    }
    for (const { disk } of this.#places) disk?.remove()
  }

  #processes(): number[] {
    return processesOf(this.#primary)
  }

  async #promote(): Promise<void> {
    await onServer(this.#standby!.postgres.url, 'select pg_promote()')
    this.#old = this.#primary
    this.#primary = this.#standby!
    this.#standby = undefined
  }

  /** Until there is room again; a Postgres that the full disk ended is replaced. */
  async #fillDisk(): Promise<void> {
    const makeRoom = this.#primary.disk!.fill()
    await sleep(FULL_MS)
    makeRoom()
    if (this.#processes().length === 0) await this.#promote()
  }

  /** Adds a standby that has what is committed before it is acknowledged. */
  async #addStandby(place: Place): Promise<void> {
    const primary = this.#primary.postgres
    this.#standby = { ...place, postgres: await startReplica(primary, optionsOf(place)) }
    const isStandby = (column: string, value: string) =>
      until(
        `the standby is ${value}`,
        async () =>
          (
            await onServer(
              primary.url,
              `select from pg_stat_replication where ${column} = '${value}'`,
            )
          ).rowCount! > 0,
        60,
      )
    await isStandby('state', 'streaming')
    await onServer(primary.url, `alter system set synchronous_standby_names = '*'`)
    await onServer(primary.url, 'select pg_reload_conf()')
    await isStandby('sync_state', 'sync')
  }
}

const optionsOf = ({ port, disk }: Place) => ({ port, ...(disk && { parent: disk.path }) })

const processesOf = ({ postgres }: Member) => processesIn(join(postgres.folder, 'data'))
