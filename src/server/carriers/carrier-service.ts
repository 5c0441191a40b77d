import { sql } from 'kysely'
import { ZodError } from 'zod'
import { requestFor } from '../../agent/drivers/http/sample-request.ts'
import { describePresets } from '../../agent/drivers/http/describe-presets.ts'
import { type CarrierEvent, readCall } from '../../agent/drivers/http/read-call.ts'
import { reportsOf } from '../../agent/receipt-reports.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { GatewayError, RetryLater, UserError } from '../../errors.ts'
import type { Services } from '../../http/context.ts'
import type { CarrierBody, CarrierService, MadeCarrier } from '../../sms/devices/carrier-body.ts'
import { addDevice } from '../../sms/devices/pair.ts'
import { gatewayRefusal, invalid } from '../../sms/send/refusals.ts'
import { randomText } from '../../tools/random.ts'
import { deviceLink } from './device-link.ts'
import { refuseOwnKey } from './own-key.ts'
import { receiveText } from './receive-text.ts'
import { requireRoom } from './require-room.ts'
import {
  COLUMNS,
  callbackOf,
  findByToken,
  hashOf,
  openCarrier,
  openSecrets,
  type Sealed,
  sealSecrets,
} from './stored-carrier.ts'

const TOKEN_LENGTH = 40
const REPEAT_SECONDS = 5
/** How long after its first call a text gets files. */
const REPEATED_MS = 30 * 60_000

/** Adds, changes and lists carriers, and takes their calls. */
export function carrierService({
  store: all,
  config,
  extensions,
  log,
}: Pick<Services, 'store' | 'config' | 'extensions' | 'log'>): CarrierService {
  /** Checks a carrier by filling its request. Throws 400 that names the wrong setting. */
  function made(device: string, account: unknown, secrets: Sealed): MadeCarrier {
    try {
      const request = requestFor(openCarrier(config, account, secrets))
      return { device, callback: callbackOf(config, secrets.token), request }
    } catch (error) {
      if (error instanceof UserError) throw invalid(error.message)
      if (!(error instanceof ZodError)) throw error
      const [{ path, message } = { path: [], message: '' }] = error.issues
      throw invalid(`${['account', ...path].join('.')}: ${message}`)
    }
  }

  const secretsIn = ({ secret, webhook_secret }: CarrierBody, old?: Sealed): Sealed => ({
    secret: secret ?? old?.secret ?? '',
    webhook_secret: webhook_secret ?? old?.webhook_secret ?? '',
    token: old?.token ?? randomText(TOKEN_LENGTH),
  })

  return {
    async create(store, user, body) {
      const { account, name } = body
      const secrets = secretsIn(body)
      const checked = made('', account, secrets)
      await refuseOwnKey(store.db, user.id, account, secrets.secret)
      if (body.check) return checked
      const about = {
        name: name || String(account.preset),
        platform: 'carrier',
        phone: '',
        sims: [],
        push: null,
      }
      return store.db.transaction(async (db) => {
        await requireRoom(db, user.id, account)
        const device = await addDevice({ ...store, db }, extensions, user, about)
        await queries(db)
          .insertInto('device_carriers')
          .values({
            ...{ device, user: user.id, account: JSON.stringify(account) },
            sealed: await sealSecrets(db, device, secrets),
            address_hash: hashOf(secrets.token),
          })
          .execute()
        return { ...checked, device }
      })
    },
    async change(store, user, device, body) {
      const row = await queries(store.db)
        .selectFrom('device_carriers')
        .select(COLUMNS)
        .where('device', '=', device)
        .where('user', '=', user.id)
        .executeTakeFirst()
      const old = row && (await openSecrets(store.db, row))
      if (!row) throw gatewayRefusal('device_not_found')
      if (body.secret == null && destinationOf(body.account) !== destinationOf(JSON.parse(row.account)))
        throw invalid('A change of preset, url, user, values or custom needs the secret')
      const secrets = secretsIn(body, old)
      const checked = made(device, body.account, secrets)
      await refuseOwnKey(store.db, user.id, body.account, secrets.secret)
      if (body.check) return checked
      const sealed = await sealSecrets(store.db, device, secrets)
      await store.db.transaction(async (db) => {
        await requireRoom(db, user.id, body.account, device)
        await queries(db)
          .updateTable('device_carriers')
          .set(({ eb }) => ({
            account: JSON.stringify(body.account),
            version: eb('version', '+', 1),
            address_hash: hashOf(secrets.token),
            fault: '',
            sealed,
          }))
          .where('device', '=', device)
          .where('user', '=', user.id)
          .execute()
      })
      return checked
    },
    async list(store, user) {
      const items = await queries(store.db)
        .selectFrom('device_carriers')
        .select(['device', 'account', 'fault'])
        .select(sql<boolean>`leased_until > now()`.as('running'))
        .where('user', '=', user.id)
        .orderBy('device')
        .execute()
      return {
        items: items.map((item) => ({ ...item, account: JSON.parse(item.account) })),
        presets: describePresets(),
      }
    },
    async receive(token, { method, query, headers, body }, leave) {
      const db = all.signIn.db
      const row = await findByToken(db, token)
      const secrets = row && (await openSecrets(db, row))
      if (!row || !secrets) throw gatewayRefusal('device_not_found')
      if (row.isSuspended) throw gatewayRefusal('account_disabled')
      const carrier = openCarrier(config, JSON.parse(row.account), secrets)
      const events = readCall(carrier, { method, url: carrier.callback + query, headers, body })
      if (!events) throw gatewayRefusal('unauthorized', 'The call is not signed as the carrier signs')
      const services = { store: all, config }
      const link = deviceLink(services, row)
      const { seconds = 0 } = carrier.interface.incoming?.files ?? {}
      const untilMs = performance.now() + seconds * 1000
      // files may take seconds, and have a limit of their own
      if (events.some((event) => event.kind === 'text' && event.files)) leave()
      let isWhole = true
      const take = async (event: CarrierEvent) => {
        if (event.kind === 'receipt') {
          const { id, attempt, error } = event
          const items = reportsOf(error).map((report) => ({ id, attempt, ...report }))
          await link.call('/api/devices/report', { items })
        } else {
          const at = await firstSeen(all.forUser(row.user).db, row.device, event.key)
          const isOld = Date.now() - at.getTime() > REPEATED_MS
          const text = isOld ? { ...event, files: [] } : event
          if (!(await receiveText(services, row, text, at, untilMs))) isWhole = false
        }
      }
      for (const event of events)
        await take(event).catch((error) => {
          // the server would refuse this event again, and the others would be lost with it
          if (!(error instanceof GatewayError) || error.status !== 400) throw error
          log.warn({ device: row.device, reason: error.message }, `a ${event.kind} of a carrier was refused`)
        })
      if (!isWhole)
        throw new RetryLater(503, REPEAT_SECONDS, 'A file cannot be fetched now: repeat the call later')
    },
  }
}

/** The settings that decide where a secret is sent. Only a caller who knows the secret may change them. */
const destinationOf = ({ preset, url, user, values, custom }: CarrierBody['account']) =>
  JSON.stringify([preset, url, user, values, custom])

/** When a text of a carrier arrived first. A repeated text gets the same time, and so is the same message. */
async function firstSeen(db: Db, device: string, key: string): Promise<Date> {
  const { at } = await queries(db)
    .insertInto('carrier_texts')
    .values({ device, key, at: sql<Date>`date_trunc('milliseconds', clock_timestamp())` })
    .onConflict((found) => found.columns(['device', 'key']).doUpdateSet({ at: sql<Date>`carrier_texts.at` }))
    .returning(sql<string>`pb_text(at)`.as('at'))
    .executeTakeFirstOrThrow()
  return new Date(at)
}
