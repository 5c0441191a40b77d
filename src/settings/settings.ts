import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import {
  atLeast,
  atMost,
  type Check,
  checkFields,
  each,
  email,
  fields,
  hexColor,
  host,
  ipOrSubnet,
  length,
  matches,
  oneOf,
  required,
  url,
  when,
} from '../collections/checks.ts'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import { addParam, readParam, writeParam } from '../db/secrets.ts'
import { badRequest, fieldError } from '../errors.ts'
import {
  flag,
  list,
  object,
  ShapeError,
  startingWith,
  text,
  texts,
  type ValueOf,
  whole,
} from '../fields/shape.ts'
import { serialQueue } from '../tools/repeat.ts'
import { cronFault } from './cron.ts'

export type S3Settings = ValueOf<typeof s3>
const s3 = object({
  enabled: flag,
  bucket: text,
  region: text,
  endpoint: text,
  accessKey: text,
  secret: text,
  forcePathStyle: flag,
})

/** At most `maxRequests` per address in `duration` seconds. `audience`: '' (all), '@guest' or '@auth'. */
export type RateLimitRule = ValueOf<typeof rateLimitRule>
const rateLimitRule = object({
  label: text,
  audience: text,
  duration: whole,
  maxRequests: whole,
})
const limit = (label: string, maxRequests: number, duration: number): RateLimitRule => ({
  label,
  audience: '',
  duration,
  maxRequests,
})

/** Settings for superusers, as in PocketBase (core/settings_model.go), but the batch API is on by default. */
export type Settings = ValueOf<typeof SETTINGS>
export const SETTINGS = object({
  superuserIPs: texts,
  smtp: object({
    enabled: flag,
    port: startingWith(whole, () => 587),
    host: startingWith(text, () => 'smtp.example.com'),
    username: text,
    password: text,
    authMethod: text,
    tls: flag,
    localName: text,
  }),
  backups: object({ cron: text, cronMaxKeep: startingWith(whole, () => 3), s3 }),
  s3,
  meta: object({
    accentColor: startingWith(text, () => '#1055c9'),
    appName: startingWith(text, () => 'pocketsms'),
    appURL: startingWith(text, () => 'http://localhost:8090'),
    senderName: startingWith(text, () => 'pocketsms'),
    senderAddress: startingWith(text, () => 'no-reply@pocketsms.invalid'),
    hideControls: flag,
  }),
  rateLimits: object({
    rules: startingWith(list(rateLimitRule), () => [
      limit('*:auth', 2, 3),
      limit('*:create', 20, 5),
      limit('/api/batch', 3, 1),
      limit('/api/', 300, 10),
    ]),
    excludedIPs: texts,
    enabled: flag,
  }),
  trustedProxy: object({ headers: texts, useLeftmostIP: flag }),
  batch: object({
    enabled: startingWith(flag, () => true),
    maxRequests: startingWith(whole, () => 50),
    timeout: startingWith(whole, () => 3),
    maxBodySize: whole,
  }),
  logs: object({
    maxDataSize: whole,
    maxDays: startingWith(whole, () => 5),
    minLevel: whole,
    logIP: startingWith(flag, () => true),
    logAuthId: flag,
  }),
})

const SECRET_KEYS = new Set(['password', 'secret'])

/** The settings as JSON without passwords and secrets. */
export function renderSettings(settings: Settings): string {
  return JSON.stringify(settings, (key, value) => (SECRET_KEYS.has(key) ? undefined : value))
}

/** Renames a collection in rate limits such as `posts:create`. PocketBase: core/settings_model.go */
export async function renameRateLimits(settings: SettingsStore, from: string, to: string): Promise<void> {
  if (from === to) return
  const rename = (label: string) => (label.startsWith(`${from}:`) ? to + label.slice(from.length) : label)
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
  await writeParam(db, KEY, JSON.stringify(settings))
  await queries(db).selectNoFrom(sql`pg_notify(${CHANNEL}, '')`.as('notified')).execute()
}

/** The server's settings, stored in a row of the database. NOTIFY tells all nodes of changes. */
export class SettingsStore {
  /** The current settings. A change makes a new object: values derived from it can be cached by object. */
  current: Settings = SETTINGS.fresh()
  readonly #db: Db
  #text = ''
  readonly #inTurn = serialQueue()
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
      const text = await readText(this.#db)
      if (text !== this.#text) this.current = parse(text)
      this.#text = text
    })
  }

  /** Merges `submit`, or what it returns, into the stored settings. Throws 400 for invalid settings. */
  async save(
    submit: object | ((stored: Settings) => object | undefined),
    also?: (tx: Db, before: Settings, next: Settings) => Promise<void>,
  ): Promise<Settings> {
    await this.#db.transaction(async (tx) => {
      await addParam(tx, KEY, '{}')
      const text = await readText(tx, true)
      const submitted = typeof submit === 'function' ? submit(parse(text)) : submit
      if (submitted === undefined) return
      const next = overlay(parse(text), submitted)
      checkSettings(next)
      await writeSettings(tx, next)
      await also?.(tx, parse(text), next)
    })
    await this.reload()
    return this.current
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

const LABEL = /^(\w+ \/[\w/-]*|\/[\w/-]*|\w+:\w+|\*:\w+|\w+)$/
const AUDIENCES = ['@guest', '@auth']

function s3Checks({ enabled }: S3Settings) {
  const needed = when(enabled, required)
  return {
    endpoint: [url, needed],
    bucket: [needed],
    region: [needed],
    accessKey: [needed],
    secret: [needed],
  }
}

const ruleChecks = fields({
  label: [required, matches(LABEL)],
  maxRequests: [required, atLeast(1)],
  duration: [required, atLeast(1)],
  audience: [oneOf(AUDIENCES)],
})

const withoutConflicts: Check = (rules) => {
  const seen: string[] = []
  for (const [i, { label, audience }] of (rules as RateLimitRule[]).entries()) {
    const key = `${label}@@${audience}`
    if (seen.some((other) => other.startsWith(key) || key.startsWith(other))) {
      const message = `rate limit rule configuration with label ${label} already exists or conflicts with another rule`
      return { [i]: { label: fieldError('validation_conflicting_rate_limit_rule', message, { label }) } }
    }
    seen.push(key)
  }
  return undefined
}

const cron: Check = (value) => {
  const fault = value === '' ? undefined : cronFault(String(value))
  return fault === undefined ? undefined : fieldError('validation_invalid_cron', fault)
}

/** Throws 400 with PocketBase's errors, nested like the settings. PocketBase: core/settings_model.go */
function checkSettings(settings: Settings) {
  const { smtp, backups, batch, rateLimits } = settings
  const notHuge = atMost(Number.MAX_SAFE_INTEGER)
  const checks = {
    superuserIPs: [each(required, ipOrSubnet)],
    meta: {
      accentColor: [length(7, 7), hexColor],
      appName: [required, length(1, 255)],
      appURL: [required, url],
      senderName: [required, length(1, 255)],
      senderAddress: [email, required],
    },
    logs: { maxDataSize: [atLeast(0), notHuge], maxDays: [atLeast(0), notHuge], minLevel: [notHuge] },
    smtp: {
      host: [when(smtp.enabled, required), host],
      port: [when(smtp.enabled, required), atLeast(0)],
      authMethod: [oneOf(['LOGIN', 'PLAIN'])],
      localName: [host],
    },
    s3: s3Checks(settings.s3),
    backups: {
      s3: s3Checks(backups.s3),
      cron: [cron],
      cronMaxKeep: [when(backups.cron !== '', required), atLeast(1)],
    },
    batch: {
      maxRequests: [when(batch.enabled, required), atLeast(0)],
      timeout: [when(batch.enabled, required), atLeast(0)],
      maxBodySize: [atLeast(0)],
    },
    rateLimits: {
      rules: [when(rateLimits.enabled, required), withoutConflicts, each(ruleChecks)],
      excludedIPs: [each(required, ipOrSubnet)],
    },
  }
  checkFields(settings, checks, 'An error occurred while saving the new settings.')
}
