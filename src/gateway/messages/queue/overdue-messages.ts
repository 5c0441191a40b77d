import { type Expression, sql } from 'kysely'
import { callFunction, callFunctionRows } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { REASONS } from '../../base/message-status.ts'
import { computeStickySince } from '../send/store-offers.ts'
import { failMessages } from './fail-messages.ts'
import { cancelIfRefused, listWokenDevices, reassignMessages } from './reassign-messages.ts'

/** Maximum messages for each step of a sweep. The next sweep, a second later, takes others. */
const MAX_ROWS = 1_000

const selectQueued = (db: Db) =>
  queries(db).selectFrom('sms_dispatch as d').select('d.message').limit(sql.lit(MAX_ROWS))

/** Makes a step of a sweep that fails the messages that `find` locks. */
const makeFailStep = (reason: string, find: (db: Db) => Expression<unknown>) => async (db: Db) => {
  await failMessages(db, find(db), reason)
  return []
}

/** Whether the message `d` may no longer be sent to its person. */
const IS_REFUSED = sql<boolean>`exists (
  select from sms_messages m
  where m.id = d.message and sms_refusals(d."user", array[m."to"]::text[], d.scope::text, m.sent_by) is not null)`

/** Fails messages that a device claimed but did not report in time, and that must not be sent again. */
export const failExpiredLeases = makeFailStep(REASONS.silent, (db) =>
  selectQueued(db)
    .where('d.state', '=', sql.lit('sending'))
    .where('d.lease_until', '<=', sql<Date>`now()`)
    .where(
      sql<boolean>`(not d.at_least_once or d.expires_at <= now() or d.refused <> '' or ${IS_REFUSED})`,
    )
    .orderBy('d.lease_until')
    .forUpdate()
    .skipLocked(),
)

/** Devices of refused messages whose next messages a sweep asks about, too. */
const MAX_DEVICES = 10

/** The messages that claims have refused, and those that their devices would claim next. */
const REFUSED_AND_NEXT = sql`array(
  (select r.message from sms_dispatch r where r.refused <> '' and r.state <> 'sending' order by r.message limit ${sql.lit(MAX_ROWS)})
  union
  select n.message from (
    select distinct r.device from sms_dispatch r where r.refused <> '' and r.state <> 'sending' limit ${sql.lit(MAX_DEVICES)}
  ) v cross join lateral (
    select q.message from sms_dispatch q where q.device = v.device and q.state = 'assigned'
    order by q.priority desc, q.position limit ${sql.lit(MAX_ROWS)}
  ) n)`

/**
 * Ends messages that a claim has refused, and those behind them that it would refuse: a claim marks only as
 * many as the device asks for. Returns their devices, which may claim others.
 */
export const cancelRefusedMessages = (db: Db): Promise<string[]> =>
  cancelIfRefused(
    db,
    selectQueued(db)
      .where(sql<boolean>`d.message = any(${REFUSED_AND_NEXT})`)
      .where('d.state', '<>', sql.lit('sending'))
      .orderBy('d.message')
      .forUpdate()
      .skipLocked(),
  )

export const failExpiredMessages = makeFailStep(REASONS.expired, (db) =>
  selectQueued(db)
    .where('d.state', '<>', sql.lit('sending'))
    .where('d.expires_at', '<=', sql<Date>`now()`)
    .orderBy('d.expires_at')
    .forUpdate()
    .skipLocked(),
)

export const failForDeletedDevice = makeFailStep(REASONS.deviceDeleted, (db) =>
  selectQueued(db)
    .innerJoin(sql<{ device: string }>`sms_queued_devices()`.as('p'), 'p.device', 'd.device')
    .where('d.pinned', '=', true)
    .where('d.state', '<>', sql.lit('sending'))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('devices as v').whereRef('v.id', '=', 'p.device'))),
    )
    .forUpdate('d')
    .skipLocked(),
)

export const failForDeletedLine = makeFailStep(REASONS.lineDeleted, (db) =>
  selectQueued(db)
    .where('d.state', '=', sql.lit('pending'))
    .where('d.due_at', '<=', sql<Date>`now()`)
    .where('d.line_pinned', '=', true)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('lines as l').whereRef('l.id', '=', 'd.line'))),
    )
    .orderBy('d.due_at')
    .forUpdate()
    .skipLocked(),
)

/**
 * Reassigns messages whose lease expired and that may be sent twice. Lines' limits count both attempts.
 * Returns the devices to wake, as the next steps do.
 */
export async function retryExpiredLeases(db: Db, onlineSeconds: number): Promise<string[]> {
  const expired = selectQueued(db)
    .where('d.state', '=', sql.lit('sending'))
    .where('d.lease_until', '<=', sql<Date>`now()`)
    .where('d.at_least_once', '=', true)
    .orderBy('d.lease_until')
    .forUpdate()
    .skipLocked()
  return reassignMessages(db, expired, 'The device went silent', onlineSeconds, true)
}

/** Reassigns unclaimed messages of devices that are deleted, disabled, offline or silent. */
export const reassignUnclaimed = (db: Db, onlineSeconds: number): Promise<string[]> =>
  listWokenDevices(callFunctionRows(db, 'sms_reassign_unclaimed', onlineSeconds, MAX_ROWS))

export const wakeUnclaimedAgain = (db: Db): Promise<string[]> =>
  listWokenDevices(callFunctionRows(db, 'sms_rewake', MAX_ROWS * 5))

/**
 * Takes back unclaimed messages that may not be sent now or have no device. `releaseDueMessages` reassigns
 * them.
 */
export async function takeBackStaleMessages(db: Db): Promise<string[]> {
  await callFunction(db, 'sms_return_stale', MAX_ROWS)
  return []
}

/** Assigns due messages to lines, first those that waited for a line. */
export async function releaseDueMessages(
  db: Db,
  onlineSeconds: number,
  stickyDays = 0,
): Promise<string[]> {
  const sticky = computeStickySince(new Date(), stickyDays)
  const release = (due: Expression<unknown>) =>
    listWokenDevices(callFunctionRows(db, 'sms_release', due, onlineSeconds, sticky))
  const waited = await release(sql`sms_due_waiting(${onlineSeconds}, ${MAX_ROWS})`)
  const scheduled = await release(sql`sms_due_scheduled(${onlineSeconds}, ${MAX_ROWS})`)
  return [...waited, ...scheduled]
}
