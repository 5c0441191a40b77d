import {
  flag,
  list,
  object,
  type Shape,
  startingWith,
  text,
  texts,
  whole,
} from '../collections/definition/decode.ts'

export interface S3Settings {
  enabled: boolean
  bucket: string
  region: string
  endpoint: string
  accessKey: string
  secret: string
  forcePathStyle: boolean
}
export interface SmtpSettings {
  enabled: boolean
  port: number
  host: string
  username: string
  password: string
  authMethod: string
  tls: boolean
  localName: string
}
/** At most `maxRequests` per address in `duration` seconds. `audience`: '' (all), '@guest' or '@auth'. */
export interface RateLimitRule {
  label: string
  audience: string
  duration: number
  maxRequests: number
}

/** Settings that superusers change. Keys and order are PocketBase's: core/settings_model.go */
export interface Settings {
  superuserIPs: string[]
  smtp: SmtpSettings
  backups: { cron: string; cronMaxKeep: number; s3: S3Settings }
  s3: S3Settings
  meta: {
    accentColor: string
    appName: string
    appURL: string
    senderName: string
    senderAddress: string
    hideControls: boolean
  }
  rateLimits: { rules: RateLimitRule[]; excludedIPs: string[]; enabled: boolean }
  trustedProxy: { headers: string[]; useLeftmostIP: boolean }
  batch: { enabled: boolean; maxRequests: number; timeout: number; maxBodySize: number }
  logs: { maxDays: number; minLevel: number; logIP: boolean; logAuthId: boolean }
}

const s3 = object<S3Settings>({
  enabled: flag,
  bucket: text,
  region: text,
  endpoint: text,
  accessKey: text,
  secret: text,
  forcePathStyle: flag,
})

const rateLimitRule = object<RateLimitRule>({
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

/** Shape and defaults: PocketBase's, except for our names and that the batch API is on. */
export const SETTINGS: Shape<Settings> = object<Settings>({
  superuserIPs: texts,
  smtp: object<SmtpSettings>({
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
