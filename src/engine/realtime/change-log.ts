import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Action } from '../records/log-changes.ts'
import { columnsOf, type RecordRow } from '../records/record-row.ts'
import { FORGOTTEN_SECONDS, isRegistered } from './listening-nodes.ts'
import { loadCurrentSnapshot, readSnapshot, type Snapshot } from './snapshot.ts'

/** A row of `_changes`, the log of changed records, without the image of the record. */
export interface ChangeEntry {
  readonly position: number
  readonly xid: number
  readonly collection: string
  readonly action: Action
  readonly record: string
}

/** A record as it was after a change, or before its deletion. */
export interface RecordImage {
  readonly row: RecordRow
  /**
   * Position of the change whose image rules check: the record's last one in the transaction; for a delete
   * its first one, negative if the row before it is meant. Null for a create or update if the transaction
   * also deletes the record, and for a delete if the transaction also created it.
   */
  readonly judged: number | null
}

const PAGE = 500

const isAfterPosition = ({ xmax, running }: Snapshot) =>
  sql<boolean>`(xid >= ${String(xmax)}::text::xid8 or xid = any(${[...running].map(String)}::text[]::xid8[]))`

/** The next changes after a snapshot, in order. */
const selectChanges = (db: Db, since: Snapshot, way?: 'planned') =>
  queries(db, way)
    .selectFrom('_changes')
    .select(['position', sql<string>`xid::text`.as('xid'), 'collection', 'action', 'record'])
    .where(isAfterPosition(since))
    .orderBy('position')
    .limit(sql.lit(PAGE))

/**
 * Passes each change committed since a snapshot to `take` once. Returns the snapshot to continue from, and
 * whether the node is still registered: if not, as after a crash of Postgres, changes may have been missed.
 */
export async function loadChangeEntries(
  db: Db,
  node: string,
  since: Snapshot,
  take: (entries: readonly ChangeEntry[]) => Promise<void>,
): Promise<{ snapshot: Snapshot; isRegistered: boolean }> {
  const first = await queries(db)
    .selectFrom(sql`(select)`.as<'one'>(sql`one`))
    .leftJoin(selectChanges(db, since).as('c'), (join) => join.onTrue())
    .select([
      sql<string>`pg_current_snapshot()::text`.as('now'),
      isRegistered(node).as('is_registered'),
    ])
    .select(['c.position', 'c.xid', 'c.collection', 'c.action', 'c.record'])
    .orderBy('c.position')
    .execute()
  const { now, is_registered } = first[0]!
  let page = first.flatMap(({ position, ...row }) =>
    position === null ? [] : [toLogEntry({ ...row, position })],
  )
  while (page.length > 0) {
    await take(page)
    if (page.length < PAGE) break
    const next = await selectChanges(db, since, 'planned')
      .where(sql<boolean>`pg_visible_in_snapshot(xid, ${now}::text::pg_snapshot)`)
      .where('position', '>', page.at(-1)!.position)
      .execute()
    page = next.map(toLogEntry)
  }
  return { snapshot: readSnapshot(now), isRegistered: is_registered }
}

type ChangeRow = Readonly<Record<'xid' | 'collection' | 'action' | 'record', string | null>>

const toLogEntry = ({
  position,
  xid,
  collection,
  action,
  record,
}: ChangeRow & { position: number }): ChangeEntry => ({
  position,
  xid: Number(xid),
  collection: String(collection),
  action: action as Action,
  record: String(record),
})

const SAME = 'n.xid = c.xid and n.collection = c.collection and n.record = c.record'

const JUDGED = `case c.action
  when 'delete' then (select case n.action when 'delete' then n.position when 'update' then -n.position end
    from _changes n where ${SAME} order by n.position limit 1)
  else (select case when n.action <> 'delete' then n.position end from _changes n
    where ${SAME} order by n.position desc limit 1) end`

/**
 * Reads the images of changes, by position; by a negative one the row before the change. Omits records that
 * were deleted before their image was read.
 */
export async function loadImages(db: Db, collection: Collection, positions: readonly number[]) {
  const { select, count, id, table } = columnsOf(collection)
  const { rows } = await db.query(
    `select ${select}, p.place, ${JUDGED}
     from unnest($1::bigint[]) p(place) join _changes c on c.position = abs(p.place)
     cross join lateral json_populate_record(null::${table}, coalesce(case when p.place < 0 then c.former end,
       c.image, (select row_to_json(t.*) from ${table} t where t."id" = c.record))) b`,
    [positions],
  )
  const images = new Map<number, RecordImage>()
  for (const row of rows) {
    if (row[id] === null) continue
    const judged = row[count + 1]
    images.set(Number(row[count]), {
      row: row as RecordRow,
      judged: judged === null ? null : Number(judged),
    })
  }
  return images
}

/** Returns a function that deletes the changes that its previous call saw, dead nodes, and old requests. */
export function makeChangesCleanUp(store: Store): () => Promise<void> {
  let last: Snapshot | undefined
  return async () => {
    const { db } = store
    if (last)
      await queries(db)
        .deleteFrom('_changes')
        .where('xid', '<', sql<string>`${String(last.xmin)}::text::xid8`)
        .execute()
    last = await loadCurrentSnapshot(db)
    await queries(db)
      .deleteFrom('_listeners')
      .where('seen', '<', writeTimeInSeconds(-FORGOTTEN_SECONDS))
      .execute()
    await queries(db).deleteFrom('_subscribing').where('at', '<', writeTimeInSeconds(-60)).execute()
  }
}
