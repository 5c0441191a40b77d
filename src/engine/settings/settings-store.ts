import { isDeepStrictEqual } from 'node:util'
import { badRequest } from '../../platform/api-errors.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { addStoredParam, loadParam, writeStoredParam } from '../../platform/db/secrets.ts'
import { makeSerialQueue } from '../../platform/tools/repeat-work.ts'
import { ShapeError } from '../fields/json-shapes.ts'
import { checkSettings } from './check-settings.ts'
import { SETTINGS_SHAPE, type Settings } from './settings-shape.ts'

/** Renames a collection in rate limits such as `posts:create`. PocketBase: core/settings_model.go */
export async function renameRateLimits(
  settings: SettingsStore,
  from: string,
  to: string,
): Promise<void> {
  if (from === to) return
  const rename = (label: string) =>
    label.startsWith(`${from}:`) ? to + label.slice(from.length) : label
  // edits the stored rules: those in memory may be older, and other nodes may edit concurrently
  await settings.save(({ rateLimits: { rules } }) => {
    const renamed = rules.map((rule) => ({ ...rule, label: rename(rule.label) }))
    return isDeepStrictEqual(rules, renamed) ? undefined : { rateLimits: { rules: renamed } }
  })
}

const KEY = 'settings'
const CHANNEL = 'pocketsms_settings'

/** Replaces the settings without checks and notifies all nodes at commit. */
export async function writeSettings(db: Db, settings: Settings): Promise<void> {
  await writeStoredParam(db, KEY, JSON.stringify(settings))
  await callFunction(db, 'pg_notify', CHANNEL, '')
}

/** The server's settings, stored in a row of the database. NOTIFY announces changes to all nodes. */
export class SettingsStore {
  /** The current settings. A change makes a new object: values derived from it can be cached by object. */
  current: Settings = SETTINGS_SHAPE.fresh()
  readonly #db: Db
  #text = ''
  readonly #inTurn = makeSerialQueue()
  close: () => Promise<void> = async () => {}

  private constructor(db: Db) {
    this.#db = db
  }

  static async open(db: Db): Promise<SettingsStore> {
    const store = new SettingsStore(db)
    await store.reload()
    store.close = await db.listen(CHANNEL, () => void store.reload().catch(() => {}))
    return store
  }

  /** Reads the settings again. If they are unchanged, `current` stays the same object. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const text = await loadSettingsText(this.#db)
      if (text !== this.#text) this.current = parseSettings(text)
      this.#text = text
    })
  }

  /** Merges `submit`, or what it returns, into the stored settings. Throws 400 for invalid settings. */
  async save(
    submit: object | ((stored: Settings) => object | undefined),
    also?: (tx: Db, before: Settings, next: Settings) => Promise<void>,
  ): Promise<Settings> {
    await this.#db.transaction(async (tx) => {
      await addStoredParam(tx, KEY, '{}')
      const text = await loadSettingsText(tx, true)
      const submitted = typeof submit === 'function' ? submit(parseSettings(text)) : submit
      if (submitted === undefined) return
      const next = overlaySettings(parseSettings(text), submitted)
      checkSettings(next)
      await writeSettings(tx, next)
      await also?.(tx, parseSettings(text), next)
    })
    await this.reload()
    return this.current
  }
}

const loadSettingsText = async (db: Db, lock = false) => (await loadParam(db, KEY, lock)) ?? '{}'

const parseSettings = (text: string): Settings =>
  SETTINGS_SHAPE.over(JSON.parse(text), SETTINGS_SHAPE.fresh())

function overlaySettings(settings: Settings, submitted: unknown): Settings {
  try {
    return SETTINGS_SHAPE.over(submitted, settings, true)
  } catch (error) {
    if (error instanceof ShapeError)
      throw badRequest('An error occurred while loading the submitted data.')
    throw error
  }
}
