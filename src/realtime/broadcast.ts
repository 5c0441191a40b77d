import type { Catalog, Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Compiled } from '../filter/compile.ts'
import type { RequestInfo } from '../filter/request.ts'
import { columnsOf } from '../records/columns.ts'
import { type Access, accessBy } from './access.ts'
import type { Change } from './change.ts'
import type { Client } from './client.ts'
import { judge } from './judge.ts'
import type { Lanes } from './lanes.ts'
import { Payloads } from './payload.ts'
import type { Seat } from './seats.ts'
import { sees } from './snapshot.ts'

/** A seat that may get an event, with all that counts as it was when the change arrived. */
interface Candidate {
  readonly seat: Seat
  readonly clients: readonly Client[]
  readonly request: RequestInfo
  /** What is still to be asked; undefined where it is known that the event may be seen. */
  readonly question: Compiled | undefined
}

/**
 * Sends a change to all who may see it. Rules and filters of one text are asked of the database together, and those
 * that only look at the record itself are not asked at all. The events of one seat keep their order.
 * PocketBase: apis/realtime.go, realtimeBroadcastRecord
 */
export function broadcast(store: Store, lanes: Lanes, seats: readonly Seat[], change: Change): void {
  const payloads = new Payloads(store, change)
  for (const [lane, candidates] of byLane(store.catalog, seats, change)) {
    const isTaken = lanes.put(lane, () => deliver(store, change, candidates, payloads))
    // they have to come again, and then ask for what they missed
    if (!isTaken) for (const { clients } of candidates) for (const client of clients) client.end()
  }
}

function byLane(catalog: Catalog, seats: readonly Seat[], change: Change): Map<string, Candidate[]> {
  const lanes = new Map<string, Candidate[]>()
  for (const seat of seats) {
    const access = seat.access(catalog, change.collection)
    const verdict = judgeHere(access, change)
    if (verdict === false) continue
    const question = access.kind === 'question' ? access.question : undefined
    const lane = laneOf(change.collection, question, seat)
    const candidates = lanes.get(lane) ?? []
    const candidate = { seat, clients: [...seat.clients], request: seat.request(), question }
    if (candidates.push(candidate) === 1) lanes.set(lane, candidates)
  }
  return lanes
}

/** What needs no more of the database is in one lane; the rest waits for its like only. */
function laneOf(collection: Collection, question: Compiled | undefined, { topic }: Seat): string {
  const { expand = '' } = topic.query
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || expand || isManaged ? `${collection.id} ${question?.key ?? ''} ${expand}` : ''
}

/** Undefined where the database has to be asked. */
function judgeHere(access: Access, { judgedRow }: Change): boolean | undefined {
  if (access.kind === 'always') return true
  if (access.kind === 'never' || !judgedRow) return false
  return access.kind === 'test' ? access.test(judgedRow, access.params) : undefined
}

async function deliver(
  store: Store,
  change: Change,
  candidates: readonly Candidate[],
  payloads: Payloads,
): Promise<void> {
  const allowed = await ask(store, change, candidates)
  const emails = await emailsSeen(store, change, allowed)
  for (const [i, { seat, clients, request }] of allowed.entries()) {
    const receivers = clients.filter((client) => isMeant(client, seat, change))
    if (receivers.length === 0) continue
    const data = await payloads.text(seat, request, emails[i]!)
    for (const client of receivers) client.send(seat.topic.name, data)
  }
}

/** A change that was there before the subscription is no news. */
function isMeant(client: Client, { topic }: Seat, { xid }: Change): boolean {
  const subscription = client.subscriptions.get(topic.name)
  return subscription !== undefined && !sees(subscription.since, xid)
}

async function ask(
  store: Store,
  change: Change,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const questions = candidates.map(({ question }) => question).filter((question) => question !== undefined)
  if (questions.length === 0) return candidates
  const answers = await judge(store, change, questions)
  return candidates.filter((_, i) => answers[i])
}

/** Who sees an auth record's email whatever its `emailVisibility`: superusers, itself, and whom the manageRule names. */
async function emailsSeen(
  store: Store,
  change: Change,
  candidates: readonly Candidate[],
): Promise<readonly boolean[]> {
  const { collection, record, row } = change
  if (collection.type !== 'auth' || row[columnsOf(collection).at.get('emailVisibility')!] === true)
    return candidates.map(() => true)
  const accesses = candidates.map(({ request }): Access => {
    const { auth } = request
    const isSelf = auth?.id === record && auth.collection.id === collection.id
    return isSelf
      ? { kind: 'always' }
      : accessBy(store.catalog, collection, collection.manageRule, '', request)
  })
  return decide(store, change, accesses)
}

/** Questions of one text are asked together. */
async function decide(store: Store, change: Change, accesses: readonly Access[]): Promise<boolean[]> {
  const verdicts = accesses.map((access) => judgeHere(access, change))
  const open = new Map<string, [at: number, question: Compiled][]>()
  for (const [at, access] of accesses.entries()) {
    if (verdicts[at] !== undefined || access.kind !== 'question') continue
    const group = open.get(access.question.key) ?? []
    if (group.push([at, access.question]) === 1) open.set(access.question.key, group)
  }
  for (const group of open.values()) {
    const answers = await judge(
      store,
      change,
      group.map(([, question]) => question),
    )
    for (const [i, [at]] of group.entries()) verdicts[at] = answers[i]
  }
  return verdicts.map((verdict) => verdict === true)
}
