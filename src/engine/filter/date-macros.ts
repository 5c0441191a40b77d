import type { Scalar } from './convert-scalars.ts'

const formatDateText = (ms: number) => new Date(ms).toISOString().replace('T', ' ')
const DAY_MS = 86_400_000

const computePeriodStart = (now: Date, month = now.getUTCMonth(), day = now.getUTCDate()) =>
  Date.UTC(now.getUTCFullYear(), month, day)

export const ANY_TIME = new Date(0)

/** Date macros, all in UTC. PocketBase: tools/search/identifier_macros.go */
export const MACROS: ReadonlyMap<string, (now: Date) => Scalar> = new Map<
  string,
  (now: Date) => Scalar
>([
  ['@now', (now) => formatDateText(now.getTime())],
  ['@yesterday', (now) => formatDateText(now.getTime() - DAY_MS)],
  ['@tomorrow', (now) => formatDateText(now.getTime() + DAY_MS)],
  ['@second', (now) => BigInt(now.getUTCSeconds())],
  ['@minute', (now) => BigInt(now.getUTCMinutes())],
  ['@hour', (now) => BigInt(now.getUTCHours())],
  ['@day', (now) => BigInt(now.getUTCDate())],
  ['@month', (now) => BigInt(now.getUTCMonth() + 1)],
  ['@weekday', (now) => BigInt(now.getUTCDay())],
  ['@year', (now) => BigInt(now.getUTCFullYear())],
  ['@todayStart', (now) => formatDateText(computePeriodStart(now))],
  ['@todayEnd', (now) => formatDateText(computePeriodStart(now) + DAY_MS - 1)],
  ['@monthStart', (now) => formatDateText(computePeriodStart(now, now.getUTCMonth(), 1))],
  ['@monthEnd', (now) => formatDateText(computePeriodStart(now, now.getUTCMonth() + 1, 1) - 1)],
  ['@yearStart', (now) => formatDateText(computePeriodStart(now, 0, 1))],
  ['@yearEnd', (now) => formatDateText(computePeriodStart(now, 12, 1) - 1)],
])
