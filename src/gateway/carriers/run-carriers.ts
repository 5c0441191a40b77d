import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { CatalogStore } from '../../engine/collections/catalog-store.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAnyFound, queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { WorkerMember } from '../../platform/jobs/worker-member.ts'
import type { Logger } from '../../platform/log.ts'
import { hideNumbers } from '../../platform/tools/loggable-texts.ts'
import { makeSerialQueue, repeatWork } from '../../platform/tools/repeat-work.ts'
import { openAttemptJournal } from './carrier-attempt-journal.ts'
import { makeDeviceLink } from './carrier-device-link.ts'
import { CARRIER_COLUMNS, openCarrier, openSecrets, type StoredCarrier } from './stored-carrier.ts'

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

const ROUND_MS = 5_000
/** Maximum carriers that a server runs. Of more, those with texts run. */
const MAX_RUNNING = 500
/** How many carriers begin at the same time, each with a query or two. */
const MAX_BEGINNING = 10

/**
 * Stores why a carrier sends nothing, unless its settings have changed since, and mails its owner at most
 * once a day.
 */
async function noteFault(
  db: Db,
  { device, user, version }: StoredCarrier,
  fault: string,
): Promise<void> {
  const told = await queries(db)
    .updateTable('device_carriers as c')
    .from('devices as d')
    .set({
      fault,
      fault_told_at: sql<Date>`case when ${fault} <> '' and coalesce(fault_told_at < now() - interval '1 day', true)
        then now() else fault_told_at end`,
    })
    .whereRef('d.id', '=', 'c.device')
    .where('c.device', '=', device)
    .where('c.version', '=', version)
    // no alarm reports the fault of a trial: the person who added the carrier saw it
    .where(sql<boolean>`(c.fault <> ${fault} or ${fault} <> '' and c.fault_told_at is null)`)
    .returning(['d.name', sql<boolean>`fault_told_at = now()`.as('isNew')])
    .executeTakeFirst()
  if (!told?.isNew) return
  const payload = JSON.stringify([{ name: told.name, fault, waiting: 0 }])
  await queries(db)
    .insertInto('_jobs')
    .values({ kind: 'alarm_mail', holder: user, key: randomUUID(), payload })
    .execute()
}

/** Runs the carriers that this node leases. Returns a function that stops them. */
export function startCarriers(
  all: CatalogStore,
  system: Store,
  config: Config,
  log: Logger,
  worker: WorkerMember | undefined,
) {
  const { db } = system
  const node = makeLeaserName(config, worker)
  const running = new Map<string, { readonly version: number; stop(): Promise<void> }>()

  /** Waits for no carrier: a stop takes as long as a request, and other carriers must be leased again. */
  async function round(): Promise<void> {
    const rows = new Map(
      (await leaseCarriers(db, node, MAX_RUNNING)).map((row) => [row.device, row]),
    )
    for (const [device, { version, stop }] of running)
      if (rows.get(device)?.version !== version) void stop()
    const waiting = [...rows.values()].filter(({ device }) => !running.has(device))
    const beginNext = async () => {
      for (let row = waiting.shift(); row; row = waiting.shift()) {
        const { device } = row
        await begin(row).catch((err) => log.error({ err, device }, 'a carrier could not begin'))
      }
    }
    await Promise.all(Array.from({ length: MAX_BEGINNING }, beginNext))
  }

  async function begin(row: StoredCarrier): Promise<void> {
    const { device, user, account, version } = row
    // most servers have no carrier
    const { makeHttpDriver } = await import('../../programs/agent/drivers/http/driver.ts')
    const { runDriver } = await import('../../programs/agent/run-driver.ts')
    const secrets = await openSecrets(db, row)
    if (!secrets) return log.error({ device }, 'the secrets of a carrier cannot be decrypted')
    const carrier = openCarrier(config, JSON.parse(account), secrets)
    const driver = makeHttpDriver(carrier, undefined, { isFaulty: row.fault !== '' })
    const ownDb = all.forUser(user).db
    const journal = await openAttemptJournal(ownDb, device)
    const ended = new AbortController()
    const inOrder = makeSerialQueue()
    const fault = (text: string) => {
      // without the carrier's words, which may quote numbers and texts: its owner sees them
      if (text) log.warn({ device }, 'a carrier sends no texts')
      inOrder(() => noteFault(ownDb, row, hideNumbers(text))).catch((err) =>
        log.error({ err, device }, 'could not note a fault'),
      )
    }
    const link = makeDeviceLink({ store: all, config }, row, fault)
    const work = runDriver(link, driver, journal, () => {}, ended.signal)
      .catch((err) => log.error({ err, device }, 'a carrier ended, it will begin again'))
      .finally(() => running.delete(device))
    const stop = async () => {
      ended.abort()
      await work
    }
    running.set(device, { version, stop })
  }

  const stopRounds = repeatWork(round, ROUND_MS, log, 'could not lease carriers')
  return async () => {
    await stopRounds()
    await Promise.all([...running.values()].map(({ stop }) => stop()))
    await queries(db)
      .updateTable('device_carriers')
      .set({ leased_until: sql<Date>`now()` })
      .where('node', '=', node)
      .execute()
  }
}
