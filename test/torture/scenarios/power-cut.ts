import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Client, client } from '../../support/server/server-with-devices.ts'
import { SUPERUSER } from '../../support/server/start.ts'
import { Disk, whyNoDisk } from '../disk.ts'
import { ServerNode } from '../node.ts'
import { PostgresOnDisk } from '../postgres-on-disk.ts'
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts'
import { type Acknowledged, Senders } from '../senders.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/pocketsms.js', import.meta.url))
const SENDERS = 16
const PAUSE_MS = 10
const PAGE = 500

/** A database whose files are on a disk. */
interface Database {
  /** Settings of a server on it. */
  readonly env: Readonly<Record<string, string>>
  /** The processes that write its files, those of `server` among them if it does. */
  processes(server: number): number[]
  /** After a cut. Throws when it does not start. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const BACKENDS: Readonly<Record<string, (disk: Disk) => Promise<Database>>> = {
  PGlite: async (disk) => ({
    env: { DATABASE_URL: '', DATA_DIR: join(disk.path, 'data') },
    processes: (server) => [server],
    restart: async () => {},
    stop: async () => {},
  }),
  Postgres: async (disk) => {
    const postgres = await PostgresOnDisk.start(disk.path)
    return {
      env: { DATABASE_URL: postgres.url },
      processes: () => postgres.processes(),
      restart: () => postgres.launch(),
      stop: () => postgres.stop(),
    }
  },
}

/**
 * The power of a disk is cut while a server sends: what was acknowledged is still there, and the database
 * starts.
 */
export const powerCut: Scenario = {
  name: 'power-cut',
  what: 'the power of the disk cut under load, with PGlite and with Postgres (Linux, as root)',
  rounds: 20,
  async run(context) {
    const why = whyNoDisk()
    if (why) return { faults: [], figures: `NOT RUN: ${why}` }
    const outcomes: Outcome[] = []
    for (const [name, open] of Object.entries(BACKENDS)) outcomes.push(await cutOften(context, name, open))
    return {
      faults: outcomes.flatMap(({ faults }) => faults),
      figures: outcomes.map(({ figures }) => figures).join('; '),
    }
  },
}

async function cutOften(
  context: ScenarioContext,
  name: string,
  open: (disk: Disk) => Promise<Database>,
): Promise<Outcome> {
  const disk = new Disk()
  const database = await open(disk)
  const env = { ...database.env, LOG_LEVEL: 'error', DEVICE_ONLINE_SECONDS: '86400' }
  const { email, password } = SUPERUSER
  const upsert = [PROGRAM, 'superuser', 'upsert', email, password]
  execFileSync(process.execPath, upsert, { env: { ...process.env, ...env }, stdio: 'ignore' })
  const node = new ServerNode(context.basePort, env)
  await node.start()
  const root = await signIn(node.url, '_superusers', email, password)
  const senders = new Senders({
    urls: [node.url],
    user: await sender(node.url, root),
    count: SENDERS,
    pauseMs: PAUSE_MS,
  })
  const faults: string[] = []
  try {
    senders.start()
    for (let cut = 1; cut <= context.rounds; cut++) {
      const before = senders.acknowledged.length
      await sleep(300 + Math.random() * 2_500)
      disk.cutPower(() => database.processes(node.pid))
      const acknowledged = senders.acknowledged.slice()
      if (acknowledged.length === before) faults.push(`${name}: nothing was accepted before cut ${cut}`)
      await node.kill()
      await database.restart()
      await node.start()
      faults.push(...(await lost(root, acknowledged)).map((fault) => `${name}, cut ${cut}: ${fault}`))
      if (cut % 5 === 0) context.say(`${name}: ${cut} cuts, ${acknowledged.length} sends acknowledged`)
    }
    return {
      faults,
      figures: `${name}: ${context.rounds} cuts, ${senders.acknowledged.length} sends acknowledged`,
    }
  } finally {
    const ended = senders.stop()
    await node.kill()
    await Promise.race([ended, sleep(1_000)])
    await database.stop()
    disk.remove()
  }
}

/** What was acknowledged and is not there, or is there twice; a few examples. */
async function lost(root: Client, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const numbers = new Map<string, string>()
  const faults: string[] = []
  for (let page = 1; ; page++) {
    const path = `/api/collections/sms_messages/records?fields=id,to&skipTotal=1&sort=@rowid&perPage=${PAGE}&page=${page}`
    const { items } = (await root.call('GET', path)).body as { items: { id: string; to: string }[] }
    for (const { id, to } of items) {
      if (numbers.has(to)) faults.push(`stored twice: the message to ${to}`)
      numbers.set(to, id)
    }
    if (items.length < PAGE) break
  }
  for (const { ids, recipients } of acknowledged)
    for (const [i, id] of ids.entries())
      if (numbers.get(recipients[i]!) !== id) faults.push(`acknowledged, but not stored: ${id}`)
  return faults.length > 5 ? [...faults.slice(0, 5), `… and ${faults.length - 5} more`] : faults
}

/** A user with a device that is there. */
async function sender(url: string, root: Client): Promise<Client> {
  const [email, password] = ['sender@example.com', 'secret-enough']
  await root.call('POST', '/api/collections/users/records', { email, password, passwordConfirm: password })
  const user = await signIn(url, 'users', email, password)
  const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Played' })).body
  await client(url, '', '').call('POST', '/api/devices/pair', { code, platform: 'simulator' })
  return user
}

async function signIn(url: string, collection: string, identity: string, password: string): Promise<Client> {
  const path = `/api/collections/${collection}/auth-with-password`
  const { status, body } = await client(url, '', '').call('POST', path, { identity, password })
  if (status !== 200) throw new Error(`sign-in: ${status} ${JSON.stringify(body)}`)
  return client(url, body.record.id, body.token)
}
