import type { Scalar } from './scalar.ts'

const dateText = (ms: number) => new Date(ms).toISOString().replace('T', ' ')
const DAY_MS = 86_400_000

const start = (now: Date, month = now.getUTCMonth(), day = now.getUTCDate()) =>
  Date.UTC(now.getUTCFullYear(), month, day)

export const ANY_TIME = new Date(0)

/** Date macros, all in UTC. PocketBase: tools/search/identifier_macros.go */
export const MACROS: ReadonlyMap<string, (now: Date) => Scalar> = new Map<
  string,
  (now: Date) => Scalar
>([
  ['@now', (now) => dateText(now.getTime())],
  ['@yesterday', (now) => dateText(now.getTime() - DAY_MS)],
  ['@tomorrow', (now) => dateText(now.getTime() + DAY_MS)],
  ['@second', (now) => BigInt(now.getUTCSeconds())],
  ['@minute', (now) => BigInt(now.getUTCMinutes())],
  ['@hour', (now) => BigInt(now.getUTCHours())],
  ['@day', (now) => BigInt(now.getUTCDate())],
  ['@month', (now) => BigInt(now.getUTCMonth() + 1)],
  ['@weekday', (now) => BigInt(now.getUTCDay())],
  ['@year', (now) => BigInt(now.getUTCFullYear())],
  ['@todayStart', (now) => dateText(start(now))],
  ['@todayEnd', (now) => dateText(start(now) + DAY_MS - 1)],
  ['@monthStart', (now) => dateText(start(now, now.getUTCMonth(), 1))],
  ['@monthEnd', (now) => dateText(start(now, now.getUTCMonth() + 1, 1) - 1)],
  ['@yearStart', (now) => dateText(start(now, 0, 1))],
  ['@yearEnd', (now) => dateText(start(now, 12, 1) - 1)],
])
