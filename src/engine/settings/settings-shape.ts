import {
  flag,
  makeListShape,
  makeObjectShape,
  startShapeWith,
  text,
  texts,
  type ValueOf,
  whole,
} from '../fields/json-shapes.ts'

export type S3Settings = ValueOf<typeof s3>
const s3 = makeObjectShape({
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
const rateLimitRule = makeObjectShape({
  label: text,
  audience: text,
  duration: whole,
  maxRequests: whole,
})
const makeRateLimit = (label: string, maxRequests: number, duration: number): RateLimitRule => ({
  label,
  audience: '',
  duration,
  maxRequests,
})

/** Settings for superusers, as in PocketBase (core/settings_model.go), but the batch API is on by default. */
export type Settings = ValueOf<typeof SETTINGS_SHAPE>
export const SETTINGS_SHAPE = makeObjectShape({
  superuserIPs: texts,
  smtp: makeObjectShape({
    enabled: flag,
    port: startShapeWith(whole, () => 587),
    host: startShapeWith(text, () => 'smtp.example.com'),
    username: text,
    password: text,
    authMethod: text,
    tls: flag,
    localName: text,
  }),
  backups: makeObjectShape({ cron: text, cronMaxKeep: startShapeWith(whole, () => 3), s3 }),
  s3,
  meta: makeObjectShape({
    accentColor: startShapeWith(text, () => '#1055c9'),
    appName: startShapeWith(text, () => 'pocketsms'),
    appURL: startShapeWith(text, () => 'http://localhost:8090'),
    senderName: startShapeWith(text, () => 'pocketsms'),
    senderAddress: startShapeWith(text, () => 'no-reply@pocketsms.invalid'),
    hideControls: flag,
  }),
  rateLimits: makeObjectShape({
    rules: startShapeWith(makeListShape(rateLimitRule), () => [
      makeRateLimit('*:auth', 2, 3),
      makeRateLimit('*:create', 20, 5),
      makeRateLimit('/api/batch', 3, 1),
      makeRateLimit('/api/', 300, 10),
    ]),
    excludedIPs: texts,
    enabled: flag,
  }),
  trustedProxy: makeObjectShape({ headers: texts, useLeftmostIP: flag }),
  batch: makeObjectShape({
    enabled: startShapeWith(flag, () => true),
    maxRequests: startShapeWith(whole, () => 50),
    timeout: startShapeWith(whole, () => 3),
    maxBodySize: whole,
  }),
  logs: makeObjectShape({
    maxDataSize: whole,
    maxDays: startShapeWith(whole, () => 5),
    minLevel: whole,
    logIP: startShapeWith(flag, () => true),
    logAuthId: flag,
  }),
})

const SECRET_KEYS = new Set(['password', 'secret'])

/** The settings as JSON without passwords and secrets. */
export function renderSettings(settings: Settings): string {
  return JSON.stringify(settings, (key, value) => (SECRET_KEYS.has(key) ? undefined : value))
}
