import { createHash, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { renderSVG } from 'uqr'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { INSTANT } from '../../engine/fields/date-schema.ts'
import { lockFreshAuth } from '../../engine/records/check-auth-version.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { createRecord } from '../../engine/records/create-or-update.ts'
import { type AuthRecord, makeServerRequest } from '../../engine/request/request.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { markDeviceSeen } from '../base/device-record.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { BY_PERSONS, readNumber } from '../base/read-numbers.ts'

type Pairing = Readonly<z.output<typeof PAIRING>>
export const PAIRING = z
  .object({
    code: z
      .string()
      .regex(/^\d{6}$/)
      .describe('Six digits. Good once.'),
    expires_at: INSTANT.describe('Until when: 5 minutes.'),
    url: z.string().describe('Where to pair, with the code behind `#`.'),
    qr: z.string().describe('`url` as a picture: a data URL of an SVG.'),
  })
  .meta({ id: 'Pairing' })

interface NewDevice {
  readonly code: string
  /** '' to use the name that the user gave with the code. */
  readonly name: string
  /** Used as the name if neither the device nor the user gave one. */
  readonly model?: string
  readonly platform: string
  readonly phone: string
  readonly sims: readonly unknown[]
  readonly push: unknown
}

const CODE_SECONDS = 300
const CODE_DIGITS = 6
/** Maximum valid codes of a user: more would make it easier to guess one. */
const MAX_WAITING_CODES = 50
/** Maximum random codes to try until one is unused. The first one nearly always is. */
const MAX_DRAWS = 20
const NAMES: Readonly<Record<string, string>> = {
  android: 'Phone',
  modem: 'Modem',
  simulator: 'Simulated phone',
  carrier: 'Carrier',
  other: 'Device',
}
/** Path of a pairing code's URL. GET explains what the code is for. */
const PAIR_PATH = '/api/devices/pair'

/** Keeps a code, unless it is taken or the user has too many valid codes. */
const storePairingCode = (db: Db, user: string, name: string, code: string) =>
  queries(db)
    .insertInto('device_pairings')
    .columns(['code_hash', 'user', 'name', 'expires_at'])
    .expression(
      queries(db)
        .selectNoFrom(({ val }) => [
          val(hashPairingCode(code)).as('code_hash'),
          val(user).as('user'),
          val(name).as('name'),
          writeTimeInSeconds(CODE_SECONDS).as('expires_at'),
        ])
        .where(
          ({ selectFrom, fn }) =>
            selectFrom('device_pairings')
              .select(fn.countAll<number>().as('waiting'))
              .where('user', '=', user)
              .where('expires_at', '>', sql<Date>`now()`),
          '<',
          MAX_WAITING_CODES,
        ),
    )
    .onConflict((found) =>
      found
        .column('code_hash')
        .doUpdateSet(({ ref }) => ({
          user: ref('excluded.user'),
          name: ref('excluded.name'),
          expires_at: ref('excluded.expires_at'),
        }))
        .where('device_pairings.expires_at', '<=', sql<Date>`now()`),
    )
    .returning(sql<string>`pb_text(expires_at)`.as('expires_at'))
    .executeTakeFirst()

/**
 * Makes a pairing code that is valid for 5 minutes; only its hash is stored. Throws 429 if the user has too
 * many valid codes, StaleAuth if the user's record changed.
 */
export function startPairing(store: Store, user: AuthRecord, name: string, publicUrl: string) {
  return store.db.transaction(async (db): Promise<Pairing> => {
    await lockFreshAuth({ db, catalog: store.catalog }, user)
    for (let draw = 0; draw < MAX_DRAWS; draw++) {
      const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
      const kept = await storePairingCode(db, user.id, name, code)
      if (!kept) continue
      // browsers do not send the part behind #
      const url = `${publicUrl}${PAIR_PATH}#${code}`
      const qr = `data:image/svg+xml;base64,${Buffer.from(renderSVG(url)).toString('base64')}`
      return { code, ...kept, url, qr }
    }
    throw gatewayRefusal('too_many_codes')
  })
}

/** Hides a pairing code in the database. Trying all codes reveals it, but it is valid for only 5 minutes. */
const hashPairingCode = (code: string) => createHash('sha256').update(code).digest('hex')

/** Creates a device and returns its id. Throws 400 for a wrong code. Other failures leave the code valid. */
export function pairDevice(
  store: Store,
  extensions: Extensions,
  device: NewDevice,
): Promise<string> {
  return store.db.transaction(async (db) => {
    const pairing = await queries(db)
      .deleteFrom('device_pairings')
      .where('code_hash', '=', hashPairingCode(device.code))
      .where('expires_at', '>', sql<Date>`now()`)
      .returning(['user', 'name'])
      .executeTakeFirst()
    if (!pairing) throw gatewayRefusal('wrong_code')
    const named = { ...device, name: device.name || pairing.name }
    return createDevice({ db, catalog: store.catalog }, extensions, pairing.user, named)
  })
}

/** Creates a device for a user who just signed in. Throws StaleAuth if the user's record changed. */
export function addDevice(
  store: Store,
  extensions: Extensions,
  user: AuthRecord,
  device: Omit<NewDevice, 'code'>,
): Promise<string> {
  return store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await lockFreshAuth(inside, user)
    return createDevice(inside, extensions, user.id, device)
  })
}

/** Maximum devices of an account. The choice of a line looks at all lines of the account, for each text. */
const MAX_DEVICES = 100

export const countDevices = (db: Db, user: string): Promise<number> =>
  evaluateSql(db, sql<number>`(select count(*) from devices where "user" = ${user})`)

async function requireDeviceRoom(db: Db, user: string): Promise<void> {
  if ((await countDevices(db, user)) >= MAX_DEVICES)
    throw invalidRequest(`An account has at most ${MAX_DEVICES} devices`)
}

/** Length of a device's password, which is random and never used: devices have tokens. */
const PASSWORD_LENGTH = 40

async function createDevice(
  store: Store,
  extensions: Extensions,
  user: string,
  device: Omit<NewDevice, 'code'>,
) {
  const collection = store.catalog.find('devices')!
  await requireDeviceRoom(store.db, user)
  const password = makeRandomText(PASSWORD_LENGTH)
  const { model, ...given } = device
  const phone = given.phone && (await readNumber(store, user, given.phone, BY_PERSONS))
  if (phone === undefined) throw invalidRequest('phone must be a phone number')
  const name = given.name || model || NAMES[given.platform]!
  const body = { ...given, phone, name, user, password, passwordConfirm: password, enabled: true }
  const request = makeServerRequest(store, body)
  const id = String(JSON.parse(await createRecord(store, extensions, collection, request)).id)
  await markDeviceSeen(store, { id, user })
  return id
}
