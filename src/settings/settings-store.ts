import type { Db } from '../db/open.ts'
import { addParam, readParam, writeParam } from '../db/params.ts'
import { badRequest } from '../errors.ts'
import { ShapeError } from '../fields/shape.ts'
import { SETTINGS, type Settings } from './settings.ts'
import { checkSettings } from './settings-check.ts'

const KEY = 'settings'
const CHANNEL = 'pocketsms_settings'

/** Replaces the settings without checks and notifies all nodes at commit. */
export async function writeSettings(db: Db, settings: Settings): Promise<void> {
  await writeParam(db, KEY, JSON.stringify(settings))
  await db.query(`select pg_notify($1, '')`, [CHANNEL])
}

/** The server's settings: a row of the database, followed by NOTIFY. */
export class SettingsStore {
  /** The present settings. A change makes a new object, so derived values can be cached by it. */
  current: Settings = SETTINGS.fresh()
  readonly #db: Db
  #text = ''
  #loading: Promise<void> = Promise.resolve()
  #stopListening: () => Promise<void> = async () => {}

  private constructor(db: Db) {
    this.#db = db
  }

  /** Reads the settings and follows changes until `close`. */
  static async open(db: Db): Promise<SettingsStore> {
    const store = new SettingsStore(db)
    await store.reload()
    store.#stopListening = await db.listen(CHANNEL, () => void store.reload().catch(() => {}))
    return store
  }

  /** Reads the settings again, one read at a time. Unchanged settings stay the same object. */
  reload(): Promise<void> {
    this.#loading = this.#loading.catch(() => {}).then(() => this.#load())
    return this.#loading
  }

  async #load(): Promise<void> {
    const text = await readText(this.#db)
    if (text === this.#text) return
    this.#text = text
    this.current = parse(text)
  }

  /** Merges submitted JSON into the settings. Throws 400. `also`: further work in the transaction. */
  async save(
    submitted: unknown,
    also?: (tx: Db, before: Settings, next: Settings) => Promise<void>,
  ): Promise<Settings> {
    return this.edit(() => submitted, also)
  }

  /** Merges what `submit` makes of the stored settings, under a lock. Undefined changes nothing. */
  async edit(
    submit: (stored: Settings) => unknown,
    also?: (tx: Db, before: Settings, next: Settings) => Promise<void>,
  ): Promise<Settings> {
    await this.#db.transaction(async (tx) => {
      await addParam(tx, KEY, '{}')
      const text = await readText(tx, true)
      const submitted = submit(parse(text))
      if (submitted === undefined) return
      const next = overlay(parse(text), submitted)
      checkSettings(next)
      await writeSettings(tx, next)
      await also?.(tx, parse(text), next)
    })
    await this.reload()
    return this.current
  }

  async close(): Promise<void> {
    await this.#stopListening()
  }
}

const readText = async (db: Db, lock = false) => (await readParam(db, KEY, lock)) ?? '{}'

const parse = (text: string): Settings => SETTINGS.over(JSON.parse(text), SETTINGS.fresh())

function overlay(settings: Settings, submitted: unknown): Settings {
  try {
    return SETTINGS.over(submitted, settings, true)
  } catch (error) {
    if (error instanceof ShapeError) throw badRequest('An error occurred while loading the submitted data.')
    throw error
  }
}
