import {
  flag,
  list,
  object,
  startingWith,
  text,
  texts,
  type ValueOf,
  whole,
} from '../fields/json-shapes.ts'

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
