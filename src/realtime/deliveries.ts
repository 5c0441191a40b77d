import { admission } from '../admission/admission.ts'
import type { Budget } from '../admission/budget.ts'
import type { EventLoopSlices } from '../admission/event-loop-slices.ts'
import { type Catalog, type Collection, type Store, tableName } from '../collections/catalog.ts'
import { isSqlError, isTooSlow } from '../db/errors.ts'
import { RetryLater } from '../errors.ts'
import type { CompiledFilter } from '../filter/compiled-filter.ts'
import type { SqlText } from '../filter/writer.ts'
import type { Logger } from '../log.ts'
import { columnsOf, Parameters, statementName } from '../records/record-sql.ts'
import { type ChangeEvent, type Deliver, isTooOld, sendTo } from './broadcast.ts'
import type { Change } from './load-changes.ts'
import { byQuestion, type GroupState, type Receivers } from './subscription-index.ts'
import { type Access, ALWAYS, accessMaker, judgeHere, questionOf } from './topic-access.ts'

/** Runs work in lanes: queues that run one work after another. A slow statement delays only its own lane. */
export function makeLanes(memory: Budget) {
  const lanes = new Map<string, Promise<void>>()
  return {
    /** Adds `work`, which must not reject, to a lane. Returns false if no memory is left for waiting work. */
    add(lane: string, bytes: number, work: () => Promise<void>): boolean {
      const before = lanes.get(lane)
      const share = memory.open(lane)
      if (before && !share.tryTake(bytes)) return false
      const run = (before ?? Promise.resolve()).then(work).finally(() => {
        share.close()
        if (lanes.get(lane) === run) lanes.delete(lane)
      })
      lanes.set(lane, run)
      return true
    },
    whenIdle: () => Promise.all(lanes.values()),
  }
}

const MAX_QUESTIONS = 1_000
const RECEIVERS_BYTES = 100

/**
 * Returns a function that sends changes in lanes (queues). If a lane gets too slow, its clients are
 * disconnected. They reconnect and read the data anew.
 */
export function delivery(lanes: ReturnType<typeof makeLanes>, log: Logger): Deliver {
  const disconnect = (lane: string, receivers: readonly Receivers[], why: string, error?: unknown) => {
    const clients = new Set(receivers.flatMap((one) => one.clients.filter((client) => !client.isOver)))
    if (clients.size === 0) return
    const what = { lane, clients: clients.size, ...(error !== undefined && { err: error }) }
    log.warn(what, `disconnecting realtime clients: ${why}`)
    for (const client of clients) client.end()
  }

  const sort = async (lane: string, { store, change }: ChangeEvent, receivers: readonly Receivers[]) => {
    const [allowed, open]: [GroupState[], GroupState[]] = [[], []]
    const slices = slicesOf(receivers)
    for (const one of receivers) {
      if (slices?.isUsedUp) await slices.next()
      if (isOver(one)) continue
      try {
        const state = one.group.state(store.catalog, change.collection, one)
        const verdict = judgeHere(state.access, change)
        if (verdict !== false) (verdict ? allowed : open).push(state)
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error
        disconnect(lane, [one], 'too many new filters')
      }
    }
    return { allowed, open }
  }

  const ask = async (lane: string, event: ChangeEvent, open: readonly GroupState[]) => {
    const allowed: GroupState[] = []
    for (const group of byQuestion(open)) {
      for (let at = 0; at < group.length; at += MAX_QUESTIONS) {
        const states = group.slice(at, at + MAX_QUESTIONS).filter((state) => !isOver(state))
        const answers = states.length > 0 && (await answersTo(event, states))
        if (answers) allowed.push(...states.filter((_, i) => answers[i]))
        else disconnect(lane, states, 'filters take too long')
      }
    }
    return allowed
  }

  const deliver = async (lane: string, event: ChangeEvent, receivers: readonly Receivers[]) => {
    try {
      const { allowed, open } = await sort(lane, event, receivers)
      const states = [...allowed, ...(await ask(lane, event, open))]
      const slices = slicesOf(receivers)
      const emails = await emailsSeen(event.store, event.change, states, slices)
      for (const [i, state] of states.entries()) {
        if (slices?.isUsedUp) await slices.next()
        await sendTo(event, state, emails[i]!)
      }
    } catch (error) {
      disconnect(lane, receivers, 'delivery failed', error)
    }
  }

  return (lane, event, receivers) => {
    const bytes = event.bytes + RECEIVERS_BYTES * receivers.length
    const isQueued = lanes.add(lane, bytes, () => deliver(lane, event, receivers))
    if (!isQueued) disconnect(lane, receivers, 'too many changes wait for filters')
  }
}

/** For topics with options, returns a function that pauses long loops, to not block the event loop. */
const slicesOf = ([first]: readonly Receivers[]) =>
  first?.group.holder === undefined ? undefined : admission.slices

async function answersTo(event: ChangeEvent, states: readonly GroupState[]) {
  if (isTooOld(event)) return undefined
  try {
    return await matchQueries(event.storeOf(states[0]!), event.change, states)
  } catch (error) {
    if (isTooSlow(error) || error instanceof RetryLater) return undefined
    throw error
  }
}

const isOver = ({ clients }: Receivers): boolean => clients.every((client) => client.isOver)

/** For each Access, whether it shows the change. One statement evaluates all conditions of equal SQL. */
async function decide(store: Store, change: Change, accesses: readonly Access[]): Promise<boolean[]> {
  const judged = accesses.map((access) => ({ access, verdict: judgeHere(access, change) }))
  for (const group of byQuestion(judged.filter(({ verdict }) => verdict === undefined))) {
    const answers = await matchQueries(store, change, group)
    for (const [i, one] of group.entries()) one.verdict = answers[i]
  }
  return judged.map(({ verdict }) => verdict === true)
}

/** Evaluates conditions of equal SQL for the changed record. An SQL error counts as false; timeouts throw. */
async function matchQueries(store: Store, change: Change, alike: readonly { readonly access: Access }[]) {
  const questions = alike.map(({ access }) => questionOf(access)!)
  const { text, params } = statement(store.catalog, change, questions)
  const name = questions[0]!.free ? undefined : statementName(store.catalog, text)
  try {
    const { rows } = await store.db.shaped(text, params, name)
    const yes = new Set(rows.map(([number]) => Number(number)))
    return questions.map((_, i) => yes.has(i + 1))
  } catch (error) {
    if (isSqlError(error) && !isTooSlow(error)) return questions.map(() => false)
    throw error
  }
}

function statement(catalog: Catalog, change: Change, questions: readonly CompiledFilter[]) {
  const { from, where, tables: read } = questions[0]!.structure
  const parameters = new Parameters()
  const tables = tablesFor(catalog, change, read, parameters).join(',\n')
  const table = questionTable(questions, [...from.places, ...where.places], parameters)
  const condition = `b."id" = ${parameters.add(change.record)} and (${withColumns(where) || 'true'})`
  // read the record and its joins once for all conditions, unless the conditions' joins have parameters
  const asked =
    from.places.length > 0
      ? `${table} where exists (select 1 from ${withColumns(from)} where ${condition})`
      : `${from.text} cross join ${table} where ${condition}`
  return { text: `with ${tables} select s.n from ${asked}`, params: parameters.values }
}

/**
 * CTEs with the names of tables that a condition reads. The record's table has the record as the change left
 * it. After a delete, the other tables also have the rows that the same transaction deleted.
 */
function tablesFor(catalog: Catalog, change: Change, read: readonly string[], parameters: Parameters) {
  const { collection, record, judged } = change
  const table = columnsOf(collection).table
  const itself = images(table, `c.position = ${parameters.add(judged, 'bigint')}`)
  const rest = `select * from ${table} where "id" <> ${parameters.add(record)}`
  const own = `${table} as not materialized (${itself} union all ${rest})`
  if (change.action !== 'delete') return [own]
  const others = catalog.all.filter(
    (other) => other.type !== 'view' && other.id !== collection.id && read.includes(tableName(other)),
  )
  return [own, ...others.map((other) => withDeleted(other, change.xid, parameters))]
}

function withDeleted(collection: Collection, xid: number, parameters: Parameters): string {
  const table = columnsOf(collection).table
  const sameTransaction = `c.xid = ${parameters.add(String(xid))}::xid8`
  const gone = `${sameTransaction} and c.collection = ${parameters.add(collection.id)} and c.action = 'delete'`
  return `${table} as not materialized (select * from ${table} union all ${images(table, gone)})`
}

const images = (table: string, where: string) =>
  `select r.* from _changes c cross join lateral json_populate_record(null::${table}, c.image) r where ${where}`

function withColumns({ text, places }: SqlText): string {
  let written = ''
  let end = 0
  for (const place of places) {
    written += `${text.slice(end, place.start)}s.p${place.index}::${place.cast}`
    end = place.end
  }
  return written + text.slice(end)
}

/** SQL of a table `s` with a row per condition: its number `n`, from 1, and its parameters `p0`, `p1`, …. */
function questionTable(
  questions: readonly CompiledFilter[],
  places: SqlText['places'],
  parameters: Parameters,
) {
  const rows = questions.map(({ params }, i) => ({
    n: i + 1,
    ...Object.fromEntries(params.map((value, at) => [`p${at}`, value])),
  }))
  // in the JSON of the rows, a json parameter is a string
  const columns = new Map(places.map(({ index, cast }) => [`p${index}`, cast === 'json' ? 'text' : cast]))
  const defined = [['n', 'int'], ...columns].map((column) => column.join(' '))
  return `json_to_recordset(${parameters.add(JSON.stringify(rows), 'json')}) s(${defined.join(', ')})`
}

/**
 * For each candidate, whether it sees the email of the changed auth record. If emailVisibility is off, only
 * superusers, the record itself and those whom the manageRule allows see it.
 */
async function emailsSeen(
  store: Store,
  change: Change,
  candidates: readonly GroupState[],
  slices?: EventLoopSlices,
): Promise<readonly boolean[]> {
  const { collection, record, row } = change
  if (collection.type !== 'auth' || row[columnsOf(collection).at.get('emailVisibility')!] === true)
    return candidates.map(() => true)
  const accesses: Access[] = []
  for (const { request } of candidates) {
    if (slices?.isUsedUp) await slices.next()
    const { auth } = request
    const isSelf = auth?.id === record && auth.collection.id === collection.id && !auth.actor
    const rule = auth?.actor ? null : collection.manageRule
    accesses.push(isSelf ? ALWAYS : accessMaker(store.catalog, collection, rule, '', request)())
  }
  return decide(store, change, accesses)
}
