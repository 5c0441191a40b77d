import type { Db } from '../../db/open.ts'
import { makeLike, quoted } from '../../db/partitions/make-like.ts'
import { goneOf, keptOf, type Month, monthAfter, partitionOf, startOf } from '../../db/partitions/names.ts'
import { withShortLocks } from '../../db/partitions/short-locks.ts'

const [MESSAGES, EVENTS] = ['sms_messages', 'sms_events'] as const

/** The tables that take part when a month goes. Only the last three names exist for a moment. */
interface Tables {
  readonly name: string
  /** Its partition of the month. */
  readonly month: string
  readonly kept: string
  readonly gone: string
  /** What changes in the partition while the rest of it is copied. */
  readonly log: string
}

const tablesOf = (name: string, month: Month): Tables => ({
  name,
  month: partitionOf(name, month),
  kept: keptOf(name, month),
  gone: goneOf(name, month),
  log: `${partitionOf(name, month)}_log`,
})

/** A message `m` that goes with its month: it has ended before `cut`, and has no reference to keep. */
const goesBy = (cut: string) =>
  `m.status not in ('pending', 'assigned', 'sending') and m.updated < '${cut}' and m.client_ref = ''`

/**
 * Detaches a month whose messages are due, with the month of events if it has its own. What has to stay is
 * copied beforehand, beside the work of others; a trigger notes what they change meanwhile. The swap is a
 * short transaction: it makes up for the changes, replaces the month by what stays, and subtracts the rest
 * from the totals. Its length does not depend on the number of messages. Begun anew if it was killed before.
 * @param cut `updated` of what is due lies before it, in the stored form of dates
 * @param partitions names of all partitions
 */
export async function retireMonth(
  db: Db,
  month: Month,
  cut: string,
  partitions: ReadonlySet<string>,
): Promise<void> {
  const all = [tablesOf(MESSAGES, month), tablesOf(EVENTS, month)].filter((one) => partitions.has(one.month))
  await withShortLocks(db, (tx) => prepare(tx, all, month))
  const copied = await db.transaction((tx) => copyKept(tx, all, goesBy(cut)))
  await withShortLocks(db, (tx) => replace(tx, all, month, copied, goesBy(cut)))
}

/** Makes the tables of what stays, and has the partitions' changes noted. */
async function prepare(tx: Db, all: readonly Tables[], month: Month): Promise<void> {
  const range = `created is not null and created >= '${startOf(month)}' and created < '${startOf(monthAfter(month))}'`
  for (const { month: partition, kept, log } of all) {
    await tx.script(`
      drop table if exists ${quoted(kept)}, ${quoted(log)};
      drop trigger if exists changes_noted on ${quoted(partition)}`)
    await makeLike(tx, partition, kept)
    await tx.script(`
      alter table ${quoted(kept)} add constraint ${quoted(`${kept}_check`)} check (${range});
      create table ${quoted(log)} (xid xid8 not null default pg_current_xact_id(), id text, before jsonb, after jsonb);
      create trigger changes_noted after insert or update or delete on ${quoted(partition)}
        for each row execute function sms_month_changes('${log}')`)
  }
}

/** What was true in the snapshot of the copy. */
interface Copied {
  readonly snapshot: string
  /** Messages that go, by user. */
  readonly going: readonly (readonly [user: string, count: number])[]
}

async function copyKept(tx: Db, [messages, events]: readonly Tables[], goes: string): Promise<Copied> {
  await tx.query('set transaction isolation level repeatable read')
  await tx.limitStatements(0)
  const snapshot = String((await tx.query('select pg_current_snapshot()::text')).rows[0]![0])
  const { month, kept } = messages!
  await tx.query(`insert into ${quoted(kept)} select m.* from ${quoted(month)} m where not (${goes})`)
  if (events) await tx.query(keepEvents(messages!, events, goes, ''))
  const { rows } = await tx.query(
    `select m."user", count(*) from ${quoted(month)} m where ${goes} group by 1 order by 1`,
  )
  return { snapshot, going: rows.map(([user, count]) => [String(user), Number(count)]) }
}

/** Copies the events whose messages do not go; of those, the ones that `more` chooses. */
const keepEvents = (messages: Tables, events: Tables, goes: string, more: string) => `
insert into ${quoted(events.kept)} select e.* from ${quoted(events.month)} e
where not exists (select from ${quoted(messages.month)} m where m.id = e.message and ${goes}) ${more}`

async function replace(
  tx: Db,
  all: readonly Tables[],
  month: Month,
  { snapshot, going }: Copied,
  goes: string,
): Promise<void> {
  const [messages, events] = all as [Tables, Tables?]
  const parents = all.map(({ name }) => `only ${name}`).join(', ')
  await tx.script(`lock table ${parents} in access exclusive mode`)
  await tx.script(`lock table ${all.map((one) => quoted(one.month)).join(', ')} in access exclusive mode`)
  await makeUp(tx, messages, events, goes)
  const counts = await countGoing(tx, messages, snapshot, going, goes)
  for (const one of all) {
    await tx.script(`
      drop trigger changes_noted on ${quoted(one.month)};
      drop table ${quoted(one.log)};
      alter table ${one.name} detach partition ${quoted(one.month)};
      alter table ${quoted(one.month)} rename to ${quoted(one.gone)}`)
    await attachKept(tx, one, month)
  }
  for (const [user, count] of counts)
    if (count !== 0)
      await tx.query('select sms_count($1::regclass, $2, $3, $4)', [MESSAGES, user, -count, Math.abs(count)])
}

/** Brings what stays to the present state of each row that was changed after the copying began. */
async function makeUp(tx: Db, messages: Tables, events: Tables | undefined, goes: string): Promise<void> {
  const changed = `(select id from ${quoted(messages.log)})`
  await tx.query(`delete from ${quoted(messages.kept)} where id in ${changed}`)
  await tx.query(
    `insert into ${quoted(messages.kept)} select m.* from ${quoted(messages.month)} m where m.id in ${changed} and not (${goes})`,
  )
  if (!events) return
  const affected = `(e.message in ${changed} or e.id in (select id from ${quoted(events.log)}))`
  await tx.query(`delete from ${quoted(events.kept)} e where ${affected}`)
  await tx.query(keepEvents(messages, events, goes, `and ${affected}`))
}

/** Messages that go by user, with what has changed since the snapshot. */
async function countGoing(
  tx: Db,
  { log }: Tables,
  snapshot: string,
  going: Copied['going'],
  goes: string,
): Promise<Map<string, number>> {
  const counts = new Map(going)
  const { rows } = await tx.query(
    `select m."user", sum(l.sign) from ${quoted(log)} c
     cross join lateral (values (c.before, -1), (c.after, 1)) l (image, sign)
     cross join lateral jsonb_populate_record(null::${MESSAGES}, l.image) m
     where l.image is not null and not pg_visible_in_snapshot(c.xid, $1::pg_snapshot) and ${goes} group by 1`,
    [snapshot],
  )
  for (const [user, more] of rows) counts.set(String(user), (counts.get(String(user)) ?? 0) + Number(more))
  return counts
}

/** Puts what stays in the month's place; nothing if nothing stays. */
async function attachKept(tx: Db, { name, kept }: Tables, month: Month): Promise<void> {
  const { rows } = await tx.query(`select exists (select from ${quoted(kept)})`)
  await tx.script(
    rows[0]![0] === true
      ? `alter table ${name} attach partition ${quoted(kept)}
         for values from ('${startOf(month)}') to ('${startOf(monthAfter(month))}')`
      : `drop table ${quoted(kept)}`,
  )
}
