import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childrenOf } from '../../support/database/embedded-data.ts'
import {
  accountOf,
  createDatabase,
  findPostgres,
  freePort,
  onServer,
  PLAIN_ROLE,
} from '../../support/database/postgres.ts'
import { runs } from '../../support/installed.ts'
import { Disk, whyNoDisk } from '../disk.ts'
import { until } from '../site.ts'
import { type Cluster, FULL_MS, processesIn, signal } from './cluster.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url))
/** `ttl` of deploy/patroni.yml, and 5 s. */
const MAX_OUTAGE_MS = 25_000
const PATIENCE_SECONDS = 120
const REST_MS = 1_000
/** The same for all roles. */
const PASSWORD = randomBytes(12).toString('hex')

/** Why Patroni cannot be tried here; undefined where it can. */
export function whyNoPatroni(): string | undefined {
  const { stdout } = spawnSync('patroni', ['--version'], { encoding: 'utf8' })
  const [, major, minor] = /patroni (\d+)\.(\d+)/.exec(stdout ?? '') ?? []
  if (!major) return 'Patroni is not installed'
  if (Number(major) < 3 || (major === '3' && minor === '0')) return 'Patroni is older than 3.1'
  return runs('etcd', '--version') && runs('haproxy', '-v')
    ? undefined
    : 'etcd or HAProxy is not installed'
}

/** A Patroni and its Postgres: what would be a machine. */
interface Member {
  readonly name: string
  readonly port: number
  readonly rest: string
  readonly disk: Disk | undefined
  readonly data: string
  /** Starts Patroni. */
  run(): ChildProcess
  patroni: ChildProcess
}

/**
 * Two members and HAProxy with the files of deploy/. HAProxy here closes no connection to a leader that was
 * replaced.
 */
export class PatroniCluster implements Cluster {
  readonly maxOutageMs = MAX_OUTAGE_MS
  readonly strikes: Cluster['strikes'] = {
    'kill -9': () => this.#lose('SIGKILL'),
    'stall and return': () => this.#lose('SIGSTOP'),
    switchover: () => this.#switchOver(),
    ...(whyNoDisk() === undefined && { 'full disk': () => this.#fillDisk() }),
  }
  readonly #folder: string
  readonly #members: readonly Member[]
  /** etcd and HAProxy. */
  readonly #helpers: readonly ChildProcess[]
  readonly #frontPort: number
  #url = ''
  #lost: Member | undefined

  private constructor(
    folder: string,
    members: Member[],
    helpers: ChildProcess[],
    frontPort: number,
  ) {
    this.#folder = folder
    this.#members = members
    this.#helpers = helpers
    this.#frontPort = frontPort
    process.once('exit', this.#kill)
  }

  static async start(): Promise<PatroniCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'pocketsms-patroni-'))
    const owner = process.getuid?.() === 0 ? accountOf('postgres') : undefined
    if (owner) chownSync(folder, owner.uid, owner.gid)
    const options: SpawnOptions = { ...owner, cwd: folder, stdio: 'ignore' }
    const etcdPort = await freePort()
    const frontPort = await freePort()
    const etcd = await startEtcd(etcdPort, join(folder, 'etcd'), options)
    copyFileSync(join(DEPLOY, 'patroni.yml'), join(folder, 'patroni.yml'))
    const members = [
      await makeMember('db1', folder, etcdPort, options),
      await makeMember('db2', folder, etcdPort, options),
    ]
    const cluster = new PatroniCluster(
      folder,
      members,
      [etcd, await startHaproxy(folder, frontPort, members)],
      frontPort,
    )
    try {
      await cluster.#awaitStandby()
      const admin = `postgres://postgres:${PASSWORD}@127.0.0.1:${frontPort}/postgres`
      await onServer(admin, `create role ${PLAIN_ROLE} login createdb password '${PASSWORD}'`)
      cluster.#url = await createDatabase(admin)
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  get databaseUrls(): [string, string] {
    const hosts = this.#members.map(({ port }) => `127.0.0.1:${port}`).join(',')
    return [this.#url.replace(`127.0.0.1:${this.#frontPort}`, hosts), this.#url]
  }

  async repair(): Promise<void> {
    const lost = this.#lost
    this.#lost = undefined
    if (lost?.patroni.signalCode) lost.patroni = lost.run()
    else if (lost) signal(processesOf(lost), 'SIGCONT')
    await this.#awaitStandby()
  }

  async stop(): Promise<void> {
    this.#kill()
    process.off('exit', this.#kill)
    await sleep(500) // until they are gone
    for (const { disk } of this.#members) disk?.remove()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  readonly #kill = () => {
    for (const member of this.#members) signal(processesOf(member), 'SIGKILL')
    for (const helper of this.#helpers) helper.kill('SIGKILL')
  }

  async #leader(): Promise<Member> {
    for (const member of this.#members) {
      const answer = await ask(`${member.rest}/primary`).catch(() => undefined)
      if (answer?.ok) return member
    }
    throw new Error('There is no leader.')
  }

  async #lose(how: NodeJS.Signals): Promise<void> {
    const lost = await this.#leader()
    signal(processesOf(lost), how)
    this.#lost = lost
    await until(
      'there is another leader',
      async () => (await this.#leader()) !== lost,
      PATIENCE_SECONDS,
    )
  }

  async #switchOver(): Promise<void> {
    const leader = await this.#leader()
    const answer = await fetch(`${leader.rest}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: leader.name }),
    })
    if (!answer.ok) throw new Error(`switchover: ${answer.status} ${await answer.text()}`)
  }

  async #fillDisk(): Promise<void> {
    const makeRoom = (await this.#leader()).disk!.fill()
    await sleep(FULL_MS)
    makeRoom()
    await until('there is a leader', async () => Boolean(await this.#leader()), PATIENCE_SECONDS)
  }

  /** Until both are there, and one has what is committed before it is acknowledged. */
  async #awaitStandby(): Promise<void> {
    const isThere = async () => {
      const { members } = (await (await ask(`${(await this.#leader()).rest}/cluster`)).json()) as {
        members: { role: string; state: string }[]
      }
      return members.some(({ role, state }) => role === 'sync_standby' && state === 'streaming')
    }
    await until('there is a synchronous standby', isThere, PATIENCE_SECONDS)
  }
}

const ask = (url: string) => fetch(url, { signal: AbortSignal.timeout(REST_MS) })

function processesOf({ patroni, data }: Member): number[] {
  const isOver = patroni.exitCode !== null || patroni.signalCode !== null
  const own = isOver || !patroni.pid ? [] : [patroni.pid, ...childrenOf(patroni.pid)]
  return [...own, ...processesIn(data)]
}

async function startEtcd(port: number, data: string, options: SpawnOptions): Promise<ChildProcess> {
  const url = `http://127.0.0.1:${port}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const etcd = spawn(
    'etcd',
    [
      ...['--name', 'etcd', '--data-dir', data, '--log-level', 'error'],
      ...['--listen-client-urls', url, '--advertise-client-urls', url, '--listen-peer-urls', peer],
      ...['--initial-advertise-peer-urls', peer, '--initial-cluster', `etcd=${peer}`],
    ],
    options,
  )
  await until('etcd answers', async () => (await ask(`${url}/health`)).ok, PATIENCE_SECONDS)
  return etcd
}

async function makeMember(
  name: string,
  folder: string,
  etcd: number,
  options: SpawnOptions,
): Promise<Member> {
  const disk = whyNoDisk() ? undefined : new Disk()
  const home = join(disk?.path ?? folder, name)
  mkdirSync(home)
  if (options.uid) chownSync(home, options.uid, options.gid!)
  const [port, restPort, data] = [await freePort(), await freePort(), join(home, 'data')]
  const [address, rest] = [`127.0.0.1:${port}`, `127.0.0.1:${restPort}`]
  const env = {
    ...process.env,
    HOME: home,
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: `127.0.0.1:${etcd}`,
    PATRONI_RESTAPI_LISTEN: rest,
    PATRONI_RESTAPI_CONNECT_ADDRESS: rest,
    PATRONI_POSTGRESQL_LISTEN: address,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: address,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_BIN_DIR: findPostgres()!,
    PATRONI_POSTGRESQL_PGPASS: join(home, 'pgpass'),
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_PASSWORD: PASSWORD,
    PATRONI_REWIND_PASSWORD: PASSWORD,
  }
  const run = () => spawn('patroni', [join(folder, 'patroni.yml')], { ...options, env })
  return { name, port, rest: `http://${rest}`, disk, data, run, patroni: run() }
}

async function startHaproxy(
  folder: string,
  front: number,
  members: readonly Member[],
): Promise<ChildProcess> {
  let file = readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8')
    .replace(/^frontend servers$.*(?=^listen postgres$)/ms, '')
    .replace(' on-marked-down shutdown-sessions', '')
    .replace('bind 127.0.0.1:5000', `bind 127.0.0.1:${front}`)
  for (const { name, port, rest } of members)
    file = file.replace(`${name}:5432`, `127.0.0.1:${port} port ${new URL(rest).port}`)
  writeFileSync(join(folder, 'haproxy.cfg'), file)
  return spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
}
