import type { Db } from '../db/open.ts'
import { badRequest } from '../errors.ts'
import { ShapeError } from './decode.ts'
import { SETTINGS, type Settings } from './settings.ts'
import { checkSettings } from './settings-check.ts'

const KEY = 'settings'
const CHANNEL = 'pocketsms_settings'

/** The server's settings as this node knows them. They are a row of the database; NOTIFY tells of a change. */
export class SettingsStore {
  /** The settings of this moment. A change makes a new object: what is derived from it may hang on it. */
  current: Settings = SETTINGS.fresh()
  readonly #db: Db
  #stopListening: () => Promise<void> = async () => {}

  private constructor(db: Db) {
    this.#db = db
  }

  /** Reads the settings and follows their changes until `close`. */
  static async open(db: Db): Promise<SettingsStore> {
    const store = new SettingsStore(db)
    await store.reload()
    store.#stopListening = await db.listen(CHANNEL, () => void store.reload().catch(() => {}))
    return store
  }

  /** Reads them anew. A change that this misses while the database is away is read when it is back. */
  async reload(): Promise<void> {
    this.current = await readSettings(this.#db)
  }

  /**
   * Lays submitted JSON over the settings: objects are merged, lists replaced, unknown keys ignored. Throws 400 if a
   * value has a wrong type or does not stand its checks; then nothing is changed.
   */
  async save(submitted: unknown): Promise<Settings> {
    await this.#db.transaction(async (tx) => {
      await tx.query(`insert into _params (key, value) values ($1, '{}') on conflict do nothing`, [KEY])
      const next = overlay(await readSettings(tx, 'for update'), submitted)
      checkSettings(next)
      await tx.query('update _params set value = $2 where key = $1', [KEY, JSON.stringify(next)])
      await tx.query(`select pg_notify($1, '')`, [CHANNEL])
    })
    await this.reload()
    return this.current
  }

  async close(): Promise<void> {
    await this.#stopListening()
  }
}

async function readSettings(db: Db, lock: 'for update' | '' = ''): Promise<Settings> {
  const { rows } = await db.query(`select value from _params where key = $1 ${lock}`, [KEY])
  const stored = rows[0] ? JSON.parse(String(rows[0][0])) : {}
  return SETTINGS.over(stored, SETTINGS.fresh())
}

function overlay(settings: Settings, submitted: unknown): Settings {
  try {
    return SETTINGS.over(submitted, settings)
  } catch (error) {
    if (error instanceof ShapeError) throw badRequest('An error occurred while loading the submitted data.')
    throw error
  }
}
