import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { sealSecret, unsealSecret } from '../../platform/db/secrets.ts'
import {
  ACCOUNT,
  type Carrier,
  makeCarrierAccount,
  SECRETS,
} from '../../programs/agent/drivers/http/carrier-account.ts'

const PURPOSE = 'carrier'
/** Path of the address for a carrier's calls. A token follows. */
const CALLS = '/api/devices/carriers/calls/'

export interface StoredCarrier {
  readonly device: string
  readonly user: string
  readonly account: string
  readonly sealed: string
  readonly version: number
  /** Why it sends nothing; '' while it sends. */
  readonly fault: string
  /** Whether the carrier sends texts that do not name it. */
  readonly ready: boolean
}

export const CARRIER_COLUMNS = [
  'device',
  'user',
  'account',
  'sealed',
  'version',
  'fault',
  'ready',
] as const

/** Values that are stored encrypted. `token`: a part of the address for the carrier's calls. */
export type Sealed = Readonly<Record<'secret' | 'webhook_secret' | 'token', string>>

export const hashCallbackToken = (token: string) => createHash('sha256').update(token).digest('hex')

export const makeCallbackUrl = ({ publicUrl }: Config, token: string) =>
  `${publicUrl}${CALLS}${token}`

export const sealSecrets = (db: Db, device: string, secrets: Sealed) =>
  sealSecret(db, PURPOSE, device, JSON.stringify(secrets))

/** The secrets of a carrier; undefined if the database's key is another. */
export async function openSecrets(
  db: Db,
  { device, sealed }: Pick<StoredCarrier, 'device' | 'sealed'>,
): Promise<Sealed | undefined> {
  const text = await unsealSecret(db, PURPOSE, device, sealed)
  return text === undefined ? undefined : JSON.parse(text)
}

/** A carrier as the driver needs it. Throws a UserError or ZodError for settings that are wrong. */
export function openCarrier(
  config: Config,
  account: unknown,
  { token, ...secrets }: Sealed,
): Carrier {
  const place = {
    callback: makeCallbackUrl(config, token),
    allowPrivate: config.webhookAllowPrivate,
  }
  return makeCarrierAccount(ACCOUNT.parse(account), SECRETS.parse(secrets), place)
}

/** The carrier of an address. `isSuspended`: a superuser has disabled its account. */
export const findCarrierByToken = (db: Db, token: string) =>
  queries(db)
    .selectFrom('device_carriers')
    .select(CARRIER_COLUMNS)
    .select(isDisabled('device_carriers.user').as('isSuspended'))
    .where('address_hash', '=', hashCallbackToken(token))
    .executeTakeFirst()

/** Lets a carrier send any text, also those that wait, once a text that it sent is delivered. */
export const markReadyOnceDelivered = (
  { db }: Pick<Store, 'db'>,
  device: string,
  message: string,
) =>
  queries(db)
    .with('changed', (query) =>
      query
        .updateTable('device_carriers as c')
        .set({ ready: true })
        .where('c.device', '=', device)
        .where('c.ready', '=', false)
        .where(
          sql<boolean>`exists (select from sms_messages m
            where m.id = ${message} and m.device = c.device and m.status = 'delivered')`,
        )
        .returning('c.user'),
    )
    .selectFrom('changed')
    .select(sql`sms_look_for_room(changed."user")`.as('looked'))
    .execute()

/** Deletes the carriers of deleted devices, with their secrets. */
export async function forgetCarriers({ db }: Store, devices: readonly string[]): Promise<void> {
  await queries(db).deleteFrom('device_carriers').where('device', '=', matchAny(devices)).execute()
}

/** Deletes rows that no carrier needs any more: old ones, and those of deleted devices. */
export async function cleanUpCarriers({ db }: Store): Promise<void> {
  const old = (days: number) => sql<Date>`now() - make_interval(days => ${sql.lit(days)})`
  await queries(db).deleteFrom('carrier_attempts').where('begun_at', '<', old(7)).execute()
  // as long as deleted texts are known by their ids, which are made of these times
  await queries(db).deleteFrom('carrier_texts').where('at', '<', old(90)).execute()
  await queries(db)
    .deleteFrom('device_carriers as c')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('devices as d')
            .whereRef('d.id', '=', 'c.device')
            .whereRef('d.user', '=', 'c.user'),
        ),
      ),
    )
    .execute()
}
