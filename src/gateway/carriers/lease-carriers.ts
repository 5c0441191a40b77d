import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAnyFound, queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { WorkerMember } from '../../platform/jobs/worker-member.ts'
import { CARRIER_COLUMNS } from './stored-carrier.ts'

/** How long a lease lasts: then another server takes over a carrier, such as after a crash. */
const LEASE_SECONDS = 20

/**
 * The name under which a process leases carriers. It is the same after a restart if only this machine uses
 * the Postgres, so a process that was killed continues its leases at once. Several processes of a machine may
 * share a data folder: each has an address of its own, and workers behind one address are numbered. A worker
 * that starts beside the worker that it replaces has another name, and waits for the leases of that one.
 */
export const makeLeaserName = (
  { databaseUrl, host, port }: Pick<Config, 'databaseUrl' | 'host' | 'port'>,
  { worker, isReplacing }: LeasingWorker = { worker: 1, isReplacing: false },
): string =>
  databaseUrl || isReplacing || port === 0 ? randomUUID() : `${host}:${port} worker ${worker}`

type LeasingWorker = Pick<WorkerMember, 'worker' | 'isReplacing'>

/**
 * Leases at most `max` carriers of enabled devices: those of this node again, and those that no server runs.
 * Carriers with texts are first, then carriers that run, then those that ran longest ago.
 */
export const leaseCarriers = (db: Db, node: string, max: number) => {
  const free = queries(db)
    .selectFrom('device_carriers as c')
    .innerJoin('devices as d', 'd.id', 'c.device')
    .select('c.device')
    .where('d.enabled', '=', true)
    .where(({ or, eb }) =>
      or([eb('c.node', '=', node), eb('c.leased_until', '<', sql<Date>`now()`)]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('user_settings as s')
            .whereRef('s.user', '=', 'd.user')
            .where('s.disabled', '=', true),
        ),
      ),
    )
    .orderBy(
      ({ exists, selectFrom }) =>
        exists(
          selectFrom('sms_dispatch as q')
            .whereRef('q.device', '=', 'c.device')
            .where('q.state', 'in', ['assigned', 'sending']),
        ),
      'desc',
    )
    .orderBy((eb) => eb('c.node', '=', node), 'desc')
    .orderBy('c.leased_until')
    .orderBy('c.device')
    .limit(max)
    .forUpdate('c')
    .skipLocked()
  return queries(db)
    .updateTable('device_carriers')
    .set({ node, leased_until: writeTimeInSeconds(LEASE_SECONDS) })
    .where('device', '=', matchAnyFound(free))
    .returning(CARRIER_COLUMNS)
    .execute()
}
