import { hash } from 'node:crypto'
import { networkOf } from '../../admission/holder.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { list, numbers, type Row, run, runForRow, statement, text } from '../../db/statement.ts'
import { RetryLater } from '../../errors.ts'
import { gatewayRefusal, REFUSALS } from '../send/shape.ts'
import { readUsage } from '../usage.ts'

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 86_400
const MONTH_SECONDS = 31 * DAY_SECONDS

const LIMITS = statement('code limits', {
  ...{ ofHour: 'number', ofDay: 'number', ofNetwork: 'number', ofAccount: 'number', share: 'number' },
})`
select coalesce(nullif(s.code_max_per_hour, 0), 5) as "ofHour", coalesce(nullif(s.code_max_per_day, 0), 10) as "ofDay",
  coalesce(nullif(s.code_max_per_network, 0), 20) as "ofNetwork",
  coalesce(nullif(s.code_max_per_account, 0), 5000) as "ofAccount", coalesce(s.code_quota_share, 0) as share
from (select) one left join user_settings s on s."user" = ${text('user')}`

/** Codes that an account is about to send. `ip`: the address of the person who asked; '' if not known. */
export interface Codes {
  readonly user: string
  readonly phones: readonly string[]
  readonly ip: string
}

interface Count {
  readonly key: string
  readonly amount: number
  readonly limit: number
  readonly seconds: number
  readonly refusal: 'number_limit_reached' | 'sender_limit_reached' | 'quota_exceeded'
}

const TAKE = statement('code take', { place: 'number', wait: 'number' })`
select t.place, t.wait from code_take(
  ${list('keys')}::text[], ${numbers('amounts')}::int[], ${numbers('limits')}::int[], ${numbers('seconds')}::int[]) t`

/**
 * Counts codes for their numbers, the network that asks and the account, over all services, hooks and auth
 * collections. Locks the numbers until the transaction ends. Throws 429 or 402 and counts none.
 */
export async function takeCodes(
  store: Store,
  config: Pick<Config, 'monthlyQuota'>,
  codes: Codes,
): Promise<void> {
  const counts = await countsOf(store, config, codes)
  const { place, wait } = (await runForRow(store.db, TAKE, {
    keys: counts.map(({ key }) => key),
    amounts: counts.map(({ amount }) => amount),
    limits: counts.map(({ limit }) => limit),
    seconds: counts.map(({ seconds }) => seconds),
  }))!
  if (place === 0) return
  const { refusal } = counts[place - 1]!
  if (refusal === 'quota_exceeded') throw gatewayRefusal(refusal)
  throw tooMany(refusal, wait)
}

async function countsOf(store: Store, config: Pick<Config, 'monthlyQuota'>, codes: Codes): Promise<Count[]> {
  const { user, phones, ip } = codes
  const limits = (await runForRow(store.db, LIMITS, { user }))!
  const amount = phones.length
  const own = (name: string) => `code ${user} ${name}`
  const sender = { amount, seconds: HOUR_SECONDS, refusal: 'sender_limit_reached' } as const
  return [
    ...phones
      .map(hashOf)
      .sort()
      .flatMap((phone) => countsOfNumber(own(phone), limits)),
    ...(ip ? [{ ...sender, key: own(`network ${networkOf(ip)}`), limit: limits.ofNetwork }] : []),
    { ...sender, key: own('hour'), limit: limits.ofAccount },
    ...(limits.share > 0 ? await countsOfQuota(store, config, codes, limits.share) : []),
  ]
}

function countsOfNumber(key: string, { ofHour, ofDay }: Row<typeof LIMITS>): Count[] {
  const number = { amount: 1, refusal: 'number_limit_reached' } as const
  // the day first: if both are used up, the caller waits for the day
  return [
    { ...number, key: `${key} day`, limit: ofDay, seconds: DAY_SECONDS },
    { ...number, key: `${key} hour`, limit: ofHour, seconds: HOUR_SECONDS },
  ]
}

/** Codes of this month, if the account has a quota. `share`: percent of the quota. */
async function countsOfQuota(
  store: Store,
  config: Pick<Config, 'monthlyQuota'>,
  { user, phones }: Codes,
  share: number,
): Promise<Count[]> {
  const { quota, period } = await readUsage(store, user, config, new Date())
  if (quota === 0) return []
  const limit = Math.floor((quota * share) / 100)
  const month = { amount: phones.length, limit, seconds: MONTH_SECONDS, refusal: 'quota_exceeded' } as const
  return [{ ...month, key: `code ${user} ${period}` }]
}

const hashOf = (phone: string) => hash('sha256', phone, 'hex').slice(0, 32)

/** Begins a pause after which a number may be sent another code. Throws 429 within the last pause. */
export async function beginPause(db: Db, user: string, phone: string, seconds: number): Promise<void> {
  const only = { keys: [pauseOf(user, phone)], amounts: [1], limits: [1], seconds: [seconds] }
  const { place, wait } = (await runForRow(db, TAKE, only))!
  if (place > 0) throw tooMany('resend_too_soon', wait)
}

const END_PAUSE = statement('code end pause', {})`delete from auth_tries where key = ${text('key')}`

/** Ends a number's pause: a code to it was right. */
export const endPause = (db: Db, user: string, phone: string) =>
  run(db, END_PAUSE, { key: pauseOf(user, phone) })

const pauseOf = (user: string, phone: string) => `code ${user} ${hashOf(phone)} pause`

const tooMany = (code: 'number_limit_reached' | 'sender_limit_reached' | 'resend_too_soon', wait: number) =>
  new RetryLater(429, wait, REFUSALS[code][1], code)
