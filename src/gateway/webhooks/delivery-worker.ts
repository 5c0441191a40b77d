import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../engine/collections/catalog.ts'
import { RetryLater } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import { DatabaseUnavailable } from '../../platform/db/database-errors.ts'
import { makeGroups } from '../../platform/db/group-commits.ts'
import type { Logger } from '../../platform/log.ts'
import { repeatWork, WakeSignal } from '../../platform/tools/repeat-work.ts'
import { callWebhook, type OtherForms } from './call-webhook.ts'
import {
  CHANNEL,
  type DeliveryLease,
  endExpiredLeases,
  endLease,
  leaseDeliveries,
} from './lease-deliveries.ts'
import { type DueDelivery, findDueDeliveries } from './load-delivery.ts'
import { endDeliveryTurn, failWithoutCall, recordOutcome } from './record-outcome.ts'

export type WebhookSettings = Pick<Config, 'webhookAllowPrivate'>

/** Maximum concurrent calls of this node. Each holds a socket and a kilobyte, for 12 s at most. */
const MAX_CALLS = 400
/** How long running calls may continue when the server stops. Another node then repeats the aborted ones. */
const STOP_MS = 3_000
/** Polling interval while deliveries wait. New deliveries wake the worker earlier. */
const LOOK_MS = 1_000
/** Polling interval while no delivery waits, in case a notification was lost. */
const IDLE_MS = 5_000
/** Maximum tries to record an outcome. All pauses between them together are shorter than a lease. */
const MAX_TRIES = 10

/** Retries while the database is busy or unreachable: an unrecorded call would be made twice. */
async function retryUntilDone(work: () => Promise<void>) {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isPassing = error instanceof RetryLater || error instanceof DatabaseUnavailable
      if (!isPassing || tries === MAX_TRIES) throw error
      await sleep(LOOK_MS)
    }
  }
}

/** Starts calling webhooks. Returns a function that stops it and waits up to STOP_MS for running calls. */
export async function startWebhooks(
  store: Store,
  settings: WebhookSettings,
  log: Logger,
  otherForms: OtherForms,
): Promise<() => Promise<void>> {
  const { db } = store
  const signal = new WakeSignal()
  const ending = new AbortController()
  const running = new Set<Promise<void>>()

  const finding = makeGroups<string, DueDelivery | null>({
    keyOf: (delivery) => delivery,
    async store(deliveries) {
      const found = await findDueDeliveries(store, deliveries, otherForms.bodyForm)
      return deliveries.map((delivery) => found.get(delivery) ?? null)
    },
  })
  const call = async (lease: DeliveryLease) => {
    const due = await finding.add(lease.delivery)
    if (!due) return endDeliveryTurn(store, lease)
    if (due.closed) return failWithoutCall(store, lease, due, due.closed)
    const calling = due.mail
      ? otherForms.mail(due, due.mail)
      : due.format === ''
        ? callWebhook(due, settings.webhookAllowPrivate, ending.signal)
        : otherForms.call(due, ending.signal)
    const outcome = await calling.catch((error: unknown) => {
      if (!ending.signal.aborted) throw error
    })
    if (outcome) await retryUntilDone(() => recordOutcome(store, lease, due, outcome))
    else await endLease(db, lease)
  }
  const begin = (lease: DeliveryLease) => {
    const run = call(lease)
      .catch((err) => log.error({ err, delivery: lease.delivery }, 'webhook delivery failed'))
      .finally(() => {
        running.delete(run)
        signal.notify()
      })
    running.add(run)
  }
  const fill = async () => {
    for (let room = MAX_CALLS - running.size; room > 0; room = MAX_CALLS - running.size) {
      const leases = await leaseDeliveries(db, room)
      leases.forEach(begin)
      if (leases.length < room) return
    }
  }

  const stopListening = await db.listen(CHANNEL, signal.notifier)
  let isWaiting = false
  let lookedMs = 0
  const round = async () => {
    // while deliveries wait, look for expired leases once per LOOK_MS at most: a search may take 30 ms
    if (!isWaiting || performance.now() - lookedMs >= LOOK_MS) {
      isWaiting = true // if the check fails
      isWaiting = await endExpiredLeases(db)
      lookedMs = performance.now()
    }
    if (isWaiting) await fill()
  }
  const rest = (ended: AbortSignal) => signal.wait(isWaiting ? LOOK_MS : IDLE_MS, ended)
  const stop = repeatWork(round, rest, log, 'could not read webhook deliveries, trying again')
  return async () => {
    await stop()
    await stopListening()
    const late = setTimeout(() => ending.abort(), STOP_MS)
    await Promise.all(running)
    clearTimeout(late)
  }
}
