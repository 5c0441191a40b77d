import { hash } from 'node:crypto'
import type { Store } from '../../../engine/collections/catalog.ts'
import { tooManyTries } from '../../../platform/api-errors.ts'
import type { Config } from '../../../platform/config.ts'
import { callFunctionRows } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { toNetwork } from '../../../platform/limits/limit-holder.ts'
import { findSettings } from '../../base/find-settings.ts'
import { gatewayRefusal, REFUSALS } from '../../base/gateway-errors.ts'
import { loadUsage } from '../../base/quota-usage.ts'

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 86_400
const MONTH_SECONDS = 31 * DAY_SECONDS

/** An account's own maxima of codes, else the usual ones. `share`: percent of the quota; 0 for no limit. */
async function loadCodeLimits(db: Db, user: string) {
  const maxima = [
    'code_max_per_hour',
    'code_max_per_day',
    'code_max_per_network',
    'code_max_per_account',
  ] as const
  const own = await findSettings(db, user, ...maxima, 'code_quota_share')
  return {
    ofHour: own?.code_max_per_hour || 5,
    ofDay: own?.code_max_per_day || 10,
    ofNetwork: own?.code_max_per_network || 20,
    ofAccount: own?.code_max_per_account || 5_000,
    share: own?.code_quota_share ?? 0,
  }
}
type Limits = Awaited<ReturnType<typeof loadCodeLimits>>

/**
 * How a code is requested: by the account's own apps, by a form on a public page, or by a text with a word.
 * Each way has its own counts and pauses, so that strangers who fill in forms do not block sign-ins.
 */
export type AskedBy = 'code' | 'page' | 'word'

/** Codes that an account is about to send. `ip`: the address of the person who asked; '' if not known. */
interface Codes {
  readonly asker?: AskedBy
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

/** Counts. Returns the place of the first count without room and its wait in seconds; 0 if all have room. */
async function requireCounts(db: Db, counts: readonly Omit<Count, 'refusal'>[]) {
  const list = (name: 'amount' | 'limit' | 'seconds') => counts.map((count) => count[name])
  const keys = counts.map(({ key }) => key)
  const [taken] = await callFunctionRows(
    db,
    'code_take',
    keys,
    list('amount'),
    list('limit'),
    list('seconds'),
  )
  return taken!
}

/**
 * Counts codes for their numbers, the network that asks and the account, over all services, hooks and auth
 * collections with the same asker. Locks the numbers until the transaction ends. Throws 429 or 402 and counts
 * none.
 */
export async function countCodes(
  store: Store,
  config: Pick<Config, 'monthlyQuota'>,
  codes: Codes,
): Promise<void> {
  const counts = await listCodeCounts(store, config, codes)
  const { place, wait } = await requireCounts(store.db, counts)
  if (place === 0) return
  const { refusal } = counts[place - 1]!
  if (refusal === 'quota_exceeded') throw gatewayRefusal(refusal)
  throw makeLimitError(refusal, wait)
}

async function listCodeCounts(
  store: Store,
  config: Pick<Config, 'monthlyQuota'>,
  codes: Codes,
): Promise<Count[]> {
  const { asker = 'code', user, phones, ip } = codes
  const limits = await loadCodeLimits(store.db, user)
  const amount = phones.length
  const own = (name: string) => `${asker} ${user} ${name}`
  const sender = { amount, seconds: HOUR_SECONDS, refusal: 'sender_limit_reached' } as const
  return [
    ...phones
      .map(hashPhone)
      .sort()
      .flatMap((phone) => makeNumberCounts(own(phone), limits)),
    ...(ip ? [{ ...sender, key: own(`network ${toNetwork(ip)}`), limit: limits.ofNetwork }] : []),
    { ...sender, key: own('hour'), limit: limits.ofAccount },
    ...(limits.share > 0 ? await makeQuotaCounts(store, config, codes, limits.share) : []),
  ]
}

function makeNumberCounts(key: string, { ofHour, ofDay }: Limits): Count[] {
  const number = { amount: 1, refusal: 'number_limit_reached' } as const
  // the day first: if both are used up, the caller waits for the day
  return [
    { ...number, key: `${key} day`, limit: ofDay, seconds: DAY_SECONDS },
    { ...number, key: `${key} hour`, limit: ofHour, seconds: HOUR_SECONDS },
  ]
}

/** Codes of this month for all askers together, if the account has a quota. `share`: percent of the quota. */
async function makeQuotaCounts(
  store: Store,
  config: Pick<Config, 'monthlyQuota'>,
  { user, phones }: Codes,
  share: number,
): Promise<Count[]> {
  const { quota, period } = await loadUsage(store, user, config, new Date())
  if (quota === 0) return []
  const limit = Math.floor((quota * share) / 100)
  const month = {
    amount: phones.length,
    limit,
    seconds: MONTH_SECONDS,
    refusal: 'quota_exceeded',
  } as const
  return [{ ...month, key: `code ${user} ${period}` }]
}

const hashPhone = (phone: string) => hash('sha256', phone, 'hex').slice(0, 32)

/** Begins a pause after which a number may be sent another code. Throws 429 within the last pause. */
export async function beginPause(
  db: Db,
  user: string,
  phone: string,
  seconds: number,
  asker: AskedBy = 'code',
): Promise<void> {
  const key = makePauseKey(user, phone, asker)
  const { place, wait } = await requireCounts(db, [{ key, amount: 1, limit: 1, seconds }])
  if (place > 0) throw makeLimitError('resend_too_soon', wait)
}

/**
 * Begins a pause after which a number that has opted out may get the answer about help again. False within
 * the last pause.
 */
export async function tryBeginHelpPause(
  db: Db,
  user: string,
  phone: string,
  seconds: number,
): Promise<boolean> {
  const key = `help ${user} ${hashPhone(phone)}`
  const { place } = await requireCounts(db, [{ key, amount: 1, limit: 1, seconds }])
  return place === 0
}

/** Ends a number's pause after codes of the account's apps: a code to it was right. */
export const endPause = (db: Db, user: string, phone: string) =>
  queries(db)
    .deleteFrom('auth_tries')
    .where('key', '=', makePauseKey(user, phone, 'code'))
    .execute()

const makePauseKey = (user: string, phone: string, asker: AskedBy) =>
  `${asker} ${user} ${hashPhone(phone)} pause`

const makeLimitError = (
  code: 'number_limit_reached' | 'sender_limit_reached' | 'resend_too_soon',
  wait: number,
) => tooManyTries(wait, REFUSALS[code][1], code)
