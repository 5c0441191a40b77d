import type { Catalog, Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Compiled } from '../filter/compile.ts'
import { columnsOf } from '../records/columns.ts'
import { type Access, ALWAYS, accessBy } from './access.ts'
import type { Change } from './change.ts'
import type { Client } from './client.ts'
import { judge } from './judge.ts'
import type { Lanes } from './lanes.ts'
import { Payloads } from './payload.ts'
import type { Seat, Standing } from './seats.ts'
import { sees } from './snapshot.ts'

/**
 * Sends a change to all who may see it. Rules and filters of one text are asked of the database together, and those
 * that only look at the record itself are not asked at all. The events of one seat keep their order.
 * PocketBase: apis/realtime.go, realtimeBroadcastRecord
 */
export function broadcast(store: Store, lanes: Lanes, seats: readonly Seat[], change: Change): void {
  const payloads = new Payloads(store, change)
  for (const [lane, candidates] of byLane(store.catalog, lanes, seats, change)) {
    const isTaken = lanes.put(lane, () => deliver(store, change, candidates, payloads))
    // they have to come again, and then ask for what they missed
    if (!isTaken) for (const { clients } of candidates) for (const client of clients) client.end()
  }
}

/** Who may get the event, as everything stands now. A seat whose question is beyond us holds up no other. */
function byLane(
  catalog: Catalog,
  { failed }: Lanes,
  seats: readonly Seat[],
  change: Change,
): Map<string, Standing[]> {
  const lanes = new Map<string, Standing[]>()
  const take = (seat: Seat) => {
    const standing = seat.standing(catalog, change.collection)
    if (judgeHere(standing.access, change) === false) return
    const lane = laneOf(change.collection, standing)
    const candidates = lanes.get(lane)
    if (candidates) candidates.push(standing)
    else lanes.set(lane, [standing])
  }
  for (const seat of seats) {
    try {
      take(seat)
    } catch (error) {
      failed(error)
    }
  }
  return lanes
}

/** What needs no more of the database is in one lane; the rest waits for its like only. */
function laneOf(collection: Collection, { access, request }: Standing): string {
  const question = questionOf(access)
  const { expand = '' } = request.query
  const isManaged = collection.type === 'auth' && collection.manageRule !== null
  return question || expand || isManaged ? `${collection.id} ${question?.key ?? ''} ${expand}` : ''
}

const questionOf = (access: Access): Compiled | undefined =>
  access.kind === 'if' ? access.question : undefined

/** Undefined where the database has to be asked. */
function judgeHere(access: Access, { judgedRow }: Change): boolean | undefined {
  if (access.kind !== 'if') return access.kind === 'always'
  const { test, params, question } = access
  if (!judgedRow || (test && !test(judgedRow, params))) return false
  return question ? undefined : true
}

async function deliver(
  store: Store,
  change: Change,
  candidates: readonly Standing[],
  payloads: Payloads,
): Promise<void> {
  const verdicts = await decide(
    store,
    change,
    candidates.map(({ access }) => access),
  )
  const allowed = candidates.filter((_, i) => verdicts[i])
  const emails = await emailsSeen(store, change, allowed)
  for (const [i, standing] of allowed.entries()) {
    const { clients, seat } = standing
    const receivers = clients.filter((client) => isMeant(client, seat, change))
    if (receivers.length === 0) continue
    const data = await payloads.text(standing, emails[i]!)
    for (const client of receivers) client.send(seat.topic.name, data)
  }
}

/** A change that was there before the subscription is no news. */
function isMeant(client: Client, { topic }: Seat, { xid }: Change): boolean {
  const subscription = client.subscriptions.get(topic.name)
  return subscription !== undefined && !sees(subscription.since, xid)
}

/** Who sees an auth record's email whatever its `emailVisibility`: superusers, itself, and whom the manageRule names. */
async function emailsSeen(
  store: Store,
  change: Change,
  candidates: readonly Standing[],
): Promise<readonly boolean[]> {
  const { collection, record, row } = change
  if (collection.type !== 'auth' || row[columnsOf(collection).at.get('emailVisibility')!] === true)
    return candidates.map(() => true)
  const accesses = candidates.map(({ request }) => {
    const { auth } = request
    const isSelf = auth?.id === record && auth.collection.id === collection.id
    return isSelf ? ALWAYS : accessBy(store.catalog, collection, collection.manageRule, '', request)
  })
  return decide(store, change, accesses)
}

/** What several accesses say of a change; questions of one text are asked together. */
async function decide(store: Store, change: Change, accesses: readonly Access[]): Promise<boolean[]> {
  const verdicts = accesses.map((access) => judgeHere(access, change))
  const open = new Map<string, [at: number, question: Compiled][]>()
  for (const [at, access] of accesses.entries()) {
    const question = verdicts[at] === undefined ? questionOf(access) : undefined
    if (!question) continue
    const group = open.get(question.key)
    if (group) group.push([at, question])
    else open.set(question.key, [[at, question]])
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
