import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { EmbeddedData } from '../../support/database/embedded-data.ts'
import {
  type Client,
  makeUser,
  must,
  PASSWORD,
  pairDevice,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { SUPERUSER } from '../../support/server/start.ts'
import type { Target } from '../attacks/attack.ts'
import { ServerNode } from '../node.ts'
import { processorSeconds } from './meter.ts'
import type { VictimAccount } from './victim.ts'

const SIGNED_IN = '@request.auth.id != ""'

/** A server that does nothing but its own jobs takes less than this share of a core. */
const IDLE_SHARE = 0.25
const IDLE_MS = 200

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
  readonly temporaryFolder: string
  readonly pid: number
  readonly #node: ServerNode
  readonly #folder: string
  readonly #data: EmbeddedData

  private constructor(
    node: ServerNode,
    folder: string,
    data: EmbeddedData,
    root: Client,
    victim: VictimAccount,
  ) {
    this.#node = node
    this.#folder = folder
    this.#data = data
    this.root = root
    this.victim = victim
    this.pid = node.pid
    this.temporaryFolder = temporaryFolderOf(folder)
  }

  static async open(port: number): Promise<HostileSite> {
    const folder = mkdtempSync(join(tmpdir(), 'pocketsms-hostile-'))
    mkdirSync(temporaryFolderOf(folder))
    const data = new EmbeddedData(join(folder, 'data'))
    data.make()
    const env = {
      ...data.env,
      TMPDIR: temporaryFolderOf(folder),
      // attacks with webhooks and push have their receivers on this machine
      WEBHOOK_ALLOW_PRIVATE: 'true',
    }
    const node = new ServerNode(port, env)
    await node.start()
    const root = await signIn(node.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
    for (const collection of COLLECTIONS) await createCollection(root, collection)
    const victim = await makeVictim(node.url, root)
    return new HostileSite(node, folder, data, root, victim)
  }

  get url(): string {
    return this.#node.url
  }

  makeUser = (): Promise<Client> => makeUser(this.url, this.root, { verified: true })

  addDevice = (user: Client): Promise<Client> => addDevice(this.url, user)

  /** Throws with what it wrote when the server ended by itself. */
  checkAlive(): void {
    this.#node.checkAlive()
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
      if (share < IDLE_SHARE && !(await this.#isDatabaseBusy())) break
    }
  }

  async #isDatabaseBusy(): Promise<boolean> {
    const { rowCount } = await this.#ask(
      `select from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
    )
    return rowCount !== 0
  }

  async #ask(statement: string): Promise<pg.QueryResult> {
    const database = new pg.Client({ connectionString: this.#data.url })
    await database.connect()
    try {
      return await database.query(statement)
    } finally {
      await database.end()
    }
  }

  async close(): Promise<void> {
    await this.#node.kill()
    await this.#data.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const temporaryFolderOf = (folder: string) => join(folder, 'tmp')

function createCollection(root: Client, { rules, ...values }: (typeof COLLECTIONS)[number]) {
  const all = {
    listRule: rules,
    viewRule: rules,
    createRule: rules,
    updateRule: SIGNED_IN,
    deleteRule: SIGNED_IN,
  }
  const dates = { name: 'created', type: 'autodate', onCreate: true }
  return must(root, 'POST', '/api/collections', { ...values, ...all, fields: [...values.fields, dates] })
}

async function makeVictim(url: string, root: Client): Promise<VictimAccount> {
  const user = await makeUser(url, root, { verified: true })
  const { id, token, email } = user
  const device = await addDevice(url, user)
  return { url, id, token, email, password: PASSWORD, device: device.token }
}

const addDevice = (url: string, user: Client) => pairDevice(url, user, { platform: 'simulator' })
