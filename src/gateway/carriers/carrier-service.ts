import { sql } from 'kysely'
import { ZodError } from 'zod'
import { findApiKeys } from '../../engine/auth/identify-key.ts'
import { hashSha256 } from '../../engine/auth/tokens.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import type { Services } from '../../http/request-context.ts'
import { UserError } from '../../platform/api-errors.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { acquireLock, matchAny, queries } from '../../platform/db/queries.ts'
import { hideNumbers } from '../../platform/tools/loggable-texts.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { ACCOUNT } from '../../programs/agent/drivers/http/carrier-account.ts'
import { describePresets } from '../../programs/agent/drivers/http/describe-presets.ts'
import { makeSampleRequest } from '../../programs/agent/drivers/http/sample-request.ts'
import { tryAccount } from '../../programs/agent/drivers/http/try-account.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import {
  type CarrierBody,
  type CarrierService,
  MAX_CARRIERS,
  type MadeCarrier,
} from '../lines/carrier-schemas.ts'
import { addDevice } from '../lines/pair-device.ts'
import { receiveCallback } from './receive-carrier-callback.ts'
import {
  CARRIER_COLUMNS,
  hashCallbackToken,
  makeCallbackUrl,
  openCarrier,
  openSecrets,
  type Sealed,
  type StoredCarrier,
  sealSecrets,
} from './stored-carrier.ts'

const TOKEN_LENGTH = 40

export function makeCarrierService({
  store: all,
  config,
  extensions,
  log,
}: Pick<Services, 'store' | 'config' | 'extensions' | 'log'>): CarrierService {
  /**
   * Checks a carrier by filling its request, then tries its account, unless this is the `known` one. Throws
   * 400 that names the wrong setting, or if the settings have a key of their own account.
   */
  async function make(
    { db }: Store,
    user: AuthRecord,
    { account, secret }: CarrierBody,
    secrets: Sealed,
    known?: StoredCarrier,
  ): Promise<MadeCarrier> {
    const { request, carrier } = fill(account, secrets)
    await refuseOwnKey(db, user.id, account, secrets.secret)
    const isKnown = secret == null && JSON.stringify(account) === known?.account
    const { isAccepted, refusal } = isKnown
      ? { isAccepted: null, refusal: '' }
      : await tryAccount(carrier)
    return {
      device: known?.device ?? '',
      callback: makeCallbackUrl(config, secrets.token),
      request,
      accepted: isAccepted,
      refusal: hideNumbers(refusal),
    }
  }

  function fill(account: unknown, secrets: Sealed) {
    try {
      const carrier = openCarrier(config, account, secrets)
      return { carrier, request: makeSampleRequest(carrier) }
    } catch (error) {
      if (error instanceof UserError) throw invalidRequest(error.message)
      if (!(error instanceof ZodError)) throw error
      const [{ path, message } = { path: [], message: '' }] = error.issues
      throw invalidRequest(`${['account', ...path].join('.')}: ${message}`)
    }
  }

  const secretsIn = ({ secret, webhook_secret }: CarrierBody, old?: Sealed): Sealed => ({
    secret: secret ?? old?.secret ?? '',
    webhook_secret: webhook_secret ?? old?.webhook_secret ?? '',
    token: old?.token ?? makeRandomText(TOKEN_LENGTH),
  })

  return {
    async create(store, user, body) {
      const { account, name } = body
      const secrets = secretsIn(body)
      const checked = await make(store, user, body, secrets)
      if (body.check) return checked
      const about = {
        name: name || String(account.preset),
        platform: 'carrier',
        phone: '',
        sims: [],
        push: null,
      }
      return store.db.transaction(async (db) => {
        await requireCarrierRoom(db, user.id, account)
        const device = await addDevice({ ...store, db }, extensions, user, about)
        await queries(db)
          .insertInto('device_carriers')
          .values({
            device,
            user: user.id,
            account: JSON.stringify(account),
            sealed: await sealSecrets(db, device, secrets),
            address_hash: hashCallbackToken(secrets.token),
            fault: checked.refusal,
            ready: body.ready ?? false,
          })
          .execute()
        return { ...checked, device }
      })
    },
    async change(store, user, device, body) {
      const row = await queries(store.db)
        .selectFrom('device_carriers')
        .select(CARRIER_COLUMNS)
        .where('device', '=', device)
        .where('user', '=', user.id)
        .executeTakeFirst()
      const old = row && (await openSecrets(store.db, row))
      if (!row) throw gatewayRefusal('device_not_found')
      const isMoved =
        serializeDestination(body.account) !== serializeDestination(JSON.parse(row.account))
      if (body.secret == null && isMoved)
        throw invalidRequest('A change of preset, url, user, values or custom needs the secret')
      const secrets = secretsIn(body, old)
      // a test text has proved the credentials and settings of then
      const isProved = row.ready && !isMoved && secrets.secret === old?.secret
      const checked = await make(store, user, body, secrets, row)
      if (body.check) return checked
      const sealed = await sealSecrets(store.db, device, secrets)
      await store.db.transaction(async (db) => {
        await requireCarrierRoom(db, user.id, body.account, device)
        await queries(db)
          .updateTable('device_carriers')
          .set(({ eb }) => ({
            account: JSON.stringify(body.account),
            version: eb('version', '+', 1),
            address_hash: hashCallbackToken(secrets.token),
            fault: checked.accepted === null ? row.fault : checked.refusal,
            sealed,
            ready: body.ready ?? isProved,
          }))
          .where('device', '=', device)
          .where('user', '=', user.id)
          .execute()
        if (body.ready) await callFunction(db, 'sms_look_for_room', user.id)
      })
      return checked
    },
    async list(store, user) {
      const items = await queries(store.db)
        .selectFrom('device_carriers')
        .select(['device', 'account', 'fault', 'ready'])
        .select(sql<boolean>`leased_until > now()`.as('running'))
        .where('user', '=', user.id)
        .orderBy('device')
        .execute()
      return {
        items: items.map((item) => ({ ...item, account: JSON.parse(item.account) })),
        presets: describePresets(),
      }
    },
    receive: (token, call, leave) =>
      receiveCallback({ store: all, config, log }, token, call, leave),
  }
}

/** The settings that decide where a secret is sent. Only a caller who gives the secret may change them. */
const serializeDestination = ({ preset, url, user, values, custom }: CarrierBody['account']) =>
  JSON.stringify([preset, url, user, values, custom])

/**
 * Throws 400 if the settings or the secret contain an API key of the carrier's own account: its
 * texts would return to it.
 */
async function refuseOwnKey(
  db: Db,
  user: string,
  settings: unknown,
  secret: string,
): Promise<void> {
  const hashes = findApiKeys(`${JSON.stringify(settings)} ${secret}`).map(hashSha256)
  if (hashes.length === 0) return
  const own = await queries(db)
    .selectFrom('api_keys')
    .select('id')
    .where('user', '=', user)
    .where(({ or, eb }) =>
      or([eb('hash', '=', matchAny(hashes)), eb('previous_hash', '=', matchAny(hashes))]),
    )
    .executeTakeFirst()
  if (own)
    throw invalidRequest('The settings have a key of this account: its texts would return to it')
}

/** Requests at the same time that all carriers of an account may make together. */
const MAX_PARALLEL = 100

const readParallelLimit = ({ parallel }: CarrierBody['account']) =>
  ACCOUNT.shape.parallel.catch(10).parse(parallel)

/**
 * Throws 400 if an account gets too many carriers, or if these make too many requests at the same time.
 * `device`: the carrier that changes; '' for a new one. Call it in the transaction that stores the settings.
 */
async function requireCarrierRoom(
  db: Db,
  user: string,
  account: CarrierBody['account'],
  device = '',
): Promise<void> {
  await acquireLock(db, LOCKS.carrierCount, user)
  const others = await queries(db)
    .selectFrom('device_carriers')
    .select('account')
    .where('user', '=', user)
    .where('device', '<>', device)
    .execute()
  if (others.length >= MAX_CARRIERS)
    throw invalidRequest(`An account has at most ${MAX_CARRIERS} carriers`)
  const all = [account, ...others.map((other) => JSON.parse(other.account))]
  if (all.reduce((sum, one) => sum + readParallelLimit(one), 0) > MAX_PARALLEL)
    throw invalidRequest(
      `parallel of all carriers of an account must be at most ${MAX_PARALLEL} together`,
    )
}
