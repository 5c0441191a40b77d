import { sql } from 'kysely'
import { makeUserHolder } from '../../engine/collections/collection.ts'
import type { Services } from '../../http/request-context.ts'
import { GatewayError, tryLater } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { toLoggableMessage } from '../../platform/tools/loggable-texts.ts'
import { counts, incrementCount } from '../../platform/tools/process-counters.ts'
import { type CarrierEvent, readCall } from '../../programs/agent/drivers/http/read-call.ts'
import { makeReceiptReports } from '../../programs/agent/receipt-reports.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { CarrierCall } from '../lines/carrier-schemas.ts'
import { makeDeviceLink } from './carrier-device-link.ts'
import { receiveText } from './receive-carrier-text.ts'
import {
  findCarrierByToken,
  markReadyOnceDelivered,
  openCarrier,
  openSecrets,
} from './stored-carrier.ts'

const REPEAT_SECONDS = 5

/** Takes a call of a carrier: see `CarrierService.receive`. */
export async function receiveCallback(
  { store: all, config, log }: Pick<Services, 'store' | 'config' | 'log'>,
  token: string,
  { method, query, headers, body }: CarrierCall,
  leave: () => void,
): Promise<void> {
  const { db } = all.signIn
  const row = await findCarrierByToken(db, token)
  const secrets = row && (await openSecrets(db, row))
  if (!row || !secrets) throw gatewayRefusal('device_not_found')
  if (row.isSuspended) throw gatewayRefusal('account_disabled')
  const carrier = openCarrier(config, JSON.parse(row.account), secrets)
  const news = readCall(carrier, { method, url: carrier.callback + query, headers, body })
  if (!news) throw gatewayRefusal('unauthorized', 'The call is not signed as the carrier signs')
  const { events, unknown } = news
  const { preset } = carrier
  if (unknown.length > 0) {
    incrementCount(counts.carrierUnknownEvents, preset, unknown.length)
    const fields = unknown[0]
    log.warn(
      { device: row.device, preset, fields },
      'a carrier reported an event that its preset does not know',
    )
  }
  const services = { store: all, config, log }
  const link = makeDeviceLink(services, row)
  const hasFiles = events.some((event) => event.kind === 'text' && event.files)
  // files may take seconds, and have a limit of their own
  const leaveFiles = hasFiles
    ? admission.fetchedFiles.tryEnter(makeUserHolder(row.user))
    : undefined
  if (leaveFiles) leave()
  const [files] = carrier.interface.incoming.flatMap((form) => form.files ?? [])
  const { seconds = 0, repeats = true } = files ?? {}
  const untilMs = leaveFiles ? performance.now() + seconds * 1000 : 0
  let isWhole = true
  const take = async (event: CarrierEvent) => {
    if (event.kind === 'receipt') {
      const { id, attempt, error, channel } = event
      const items = makeReceiptReports(error, channel).map((report) => ({ id, attempt, ...report }))
      await link.call('/api/devices/report', { items })
      if (!row.ready) await markReadyOnceDelivered(all.forUser(row.user), row.device, id)
    } else {
      const at = await recordFirstSeen(all.forUser(row.user).db, row.device, event.key)
      if (!(await receiveText(services, row, event, at, { untilMs, repeats }))) isWhole = false
    }
  }
  try {
    for (const event of events)
      await take(event).catch((error) => {
        // the server would refuse this event again, and the others would be lost with it
        if (!(error instanceof GatewayError) || error.status !== 400) throw error
        const reason = toLoggableMessage(error.message)
        log.warn({ device: row.device, reason }, `a ${event.kind} of a carrier was refused`)
      })
  } finally {
    leaveFiles?.()
  }
  if (!isWhole)
    throw tryLater(REPEAT_SECONDS, 'A file cannot be fetched now: repeat the call later')
  if (unknown.length > 0) throw tryLater(REPEAT_SECONDS, 'The call has an unknown event')
}

/** When a text of a carrier arrived first. A repeated text gets the same time, and so is the same message. */
async function recordFirstSeen(db: Db, device: string, key: string): Promise<Date> {
  const { at } = await queries(db)
    .insertInto('carrier_texts')
    .values({ device, key, at: sql<Date>`date_trunc('milliseconds', clock_timestamp())` })
    .onConflict((found) =>
      found.columns(['device', 'key']).doUpdateSet({ at: sql<Date>`carrier_texts.at` }),
    )
    .returning(sql<string>`pb_text(at)`.as('at'))
    .executeTakeFirstOrThrow()
  return new Date(at)
}
