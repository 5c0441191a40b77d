import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import { type Device, writeAllowance } from '../base/device-record.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import { URGENT_PRIORITY } from './app-versions.ts'
import { IS_HOLDING, isRecalled } from './held-texts.ts'
import { CAPACITY } from './phone-capacity.ts'
import { belongsToDevice, type DeviceIds, MAX_CAPACITY, PHONE } from './phone-record.ts'

/** A text is not listed again within this time: the phone may still be reading the last answer. */
const ANSWER_SECONDS = 3
/** A phone that still has at least half of its last new texts after this time gets more: it is slow. */
const SLOW_SECONDS = 5
/** After this time, a phone gets more even if it has only a few of its last new texts left. */
const STUCK_SECONDS = 60

export const answerTime = sql`interval '${sql.raw(String(ANSWER_SECONDS))} seconds'`

/** Whether the phone still has to send text `t`, by its reports. */
export const IS_TO_SEND = sql<boolean>`(not t.is_processed and t.valid_until > now())`

/** How many texts a phone has yet to send. */
export const toSend = (device: DeviceIds) => sql<number>`(
  select count(*) from smsgate_texts t where ${belongsToDevice(device)} and ${IS_TO_SEND})`

/** Whether the phone is to cancel text `t`: it was ended, canceled, recalled or given to another device. */
export const isCanceled = (device: Device, onlineSeconds: number) => sql<boolean>`(
  ${IS_TO_SEND} and not exists (
    select from sms_dispatch d
    where d.message = t.message and d.attempt = t.attempt and d.device = t.device and d.state = 'sending'
      and d.refused = '')
  or not t.is_processed and t.valid_until <= now() and ${isRecalled(device, onlineSeconds)})`

/** SQL: a message that waits for the device and may be claimed now. */
const waits = (
  device: DeviceIds,
) => sql`select from sms_dispatch where ${belongsToDevice(device)} and state = 'assigned'
  and (due_at is null or due_at <= now()) and (expires_at is null or expires_at > now())`

/** Whether a message waits that the app sends outside its work hours, too. */
export const hasUrgent = (device: DeviceIds) =>
  sql<boolean>`exists (${waits(device)} and priority >= ${sql.lit(URGENT_PRIORITY)})`

/**
 * Whether phone `p` may get new texts: if it has none, or still many. If a text comes while the SMSGate app
 * sends its last one, the app may restart its sender and send the last one twice. Some versions always do
 * (`at_once`). A phone that holds texts gets urgent ones only.
 */
export const isOpen = (device: DeviceIds) => sql<boolean>`(
  select case when ${IS_HOLDING} then n = 0 and ${hasUrgent(device)} else n = 0 or n <= least(${CAPACITY}, p.at_once) / 2 and (
    p.handed_at < now() - interval '${sql.raw(String(SLOW_SECONDS))} seconds' and n * 2 >= p.handed
    or p.handed_at < now() - interval '${sql.raw(String(STUCK_SECONDS))} seconds') end
  from ${toSend(device)} as c(n))`

/** Whether the phone seems to lack a text or a cancellation. Then it should fetch them (pull). */
const isUnanswered = (device: Device, onlineSeconds: number) => sql<boolean>`exists (
  select from smsgate_texts t
  where ${belongsToDevice(device)} and (
    not t.is_known and t.valid_until > now() and t.listed_at < now() - ${answerTime}
    or ${isCanceled(device, onlineSeconds)} and (t.canceled_at is null or t.canceled_at < now() - ${answerTime})))`

/** Whether a phone holds at most half of its capacity. Texts that Android is sending count, too. */
const hasCapacity = (device: DeviceIds) => sql<boolean>`(
  select count(*) from (
    select from sms_dispatch where ${belongsToDevice(device)} and state = 'sending' and lease_until > now()
    limit ${sql.lit(MAX_CAPACITY)}
  ) held
) <= ${CAPACITY} / 2`

/** Whether phone `p` may be handed waiting messages now. */
const hasMore = (device: DeviceIds) => sql<boolean>`(
  exists (${waits(device)}) and (${IS_HOLDING} or ${hasCapacity(device)}) and ${isOpen(device)}
  and exists (
    select from devices d
    where d.id = ${device.id} and d."user" = ${device.user} and d.enabled and coalesce(${sql.raw(writeAllowance('d'))}, 1) > 0
  ))`

/** Whether a lease of the phone ends within `seconds`. A pull makes the phone report what it has. */
const isLapsing = (device: Device, seconds: number) => sql<boolean>`exists (
  select from sms_dispatch where ${belongsToDevice(device)} and state = 'sending'
    and lease_until > now() and lease_until < ${writeTimeInSeconds(seconds)})`

/** Tells phones to fetch messages if they may be given more, by their event streams on any server. */
export async function wakeForMore(db: Db, devices: readonly string[]): Promise<void> {
  if (devices.length === 0) return
  const found = await queries(db)
    .selectFrom('smsgate_phones as p')
    .select('p.device')
    .where('p.device', '=', matchAny(devices))
    .where(hasMore(PHONE))
    .execute()
  wakeDevices(
    db,
    found.map(({ device }) => device),
  )
}

/**
 * Whether to tell a phone to pull (fetch texts) now. If so, stores that for all its streams. Not twice
 * within ANSWER_SECONDS, unless the phone has pulled meanwhile: a second notice would make the app drop a
 * running pull.
 */
export async function claimPullNotice(
  { db }: Store,
  device: Device,
  { leaseSeconds, deviceOnlineSeconds }: Pick<Config, 'leaseSeconds' | 'deviceOnlineSeconds'>,
): Promise<boolean> {
  const { numUpdatedRows } = await queries(db)
    .updateTable('smsgate_phones as p')
    .set({ woken_at: sql<Date>`now()` })
    .where(belongsToDevice(device))
    .where(
      sql<boolean>`(p.woken_at is null or p.pulled_at >= p.woken_at or p.woken_at < now() - ${answerTime})
        and (${hasMore(device)} or ${isLapsing(device, leaseSeconds)} or ${isUnanswered(device, deviceOnlineSeconds)})`,
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Stores that a phone has opened its stream, after which it pulls by itself. `woken_at` is set so that no
 * notice follows at once.
 */
export const noteConnected = ({ db }: Store, device: Device) =>
  queries(db)
    .updateTable('smsgate_phones')
    .set({ woken_at: writeTimeInSeconds(-ANSWER_SECONDS / 2) })
    .where(belongsToDevice(device))
    .execute()
