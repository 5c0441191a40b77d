import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { ApiError, RetryLater, tooManyTries, tryLater } from '../../platform/api-errors.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import type { Store } from '../collections/catalog.ts'
import { StaleAuth } from '../records/check-auth-version.ts'
import { makeIdCondition, selectRows } from '../records/read-records.ts'
import { columnsOf, toValues } from '../records/record-row.ts'
import { type Actor, type AuthRecord, makeAuthRecord, NO_REQUEST } from '../request/request.ts'
import { CHANGES_CHANNEL } from './follow-changes.ts'
import type { Topic } from './topic.ts'

/** A node that does not answer in this time counts as down. */
const PATIENCE_MS = 3_000
const STEP_MS = 10

/** A request to replace the topics of the client that has this id and IP address. */
export interface SubscriptionRequest {
  readonly clientId: string
  readonly ip: string
  readonly auth: AuthRecord | null
  readonly topics: readonly Topic[]
}

/** A message for the client that has this id, IP address and topic. `data` is JSON. */
export interface Message {
  readonly clientId: string
  readonly ip: string
  readonly topic: string
  readonly data: string
}

/** The account that sent the request, and the version that its record had when it was authenticated. */
interface Account {
  readonly collection: string
  readonly id: string
  readonly version: string
  readonly actor?: Actor | undefined
}
interface Request {
  readonly clientId: string
  readonly ip: string
  readonly account: Account | null
  readonly topics: readonly Topic[]
  readonly message?: Message
}
type Answer =
  | { readonly done: boolean }
  | { readonly stale: true }
  | { readonly status: number; readonly message: string; readonly retryAfterSeconds?: number }

/**
 * Forwards a subscribe request. Throws the error in the node's answer. Returns false if there is no answer.
 */
export async function forwardSubscription(
  db: Db,
  node: string,
  ask: SubscriptionRequest,
): Promise<boolean> {
  const { clientId, ip, auth, topics } = ask
  const actor = auth?.actor && { ...auth.actor, key: '' }
  const account = auth && {
    collection: auth.collection.id,
    id: auth.id,
    version: auth.version,
    actor,
  }
  const answer = await storeRequest(db, node, { clientId, ip, account, topics })
  if (!answer || 'done' in answer) return answer !== undefined
  if ('stale' in answer) throw new StaleAuth()
  const { status, message, retryAfterSeconds } = answer
  if (!retryAfterSeconds) throw new ApiError(status, message)
  throw (status === 429 ? tooManyTries : tryLater)(retryAfterSeconds, message)
}

/** Forwards a message. False if there is no such node, or no such client with this subscription. */
export async function forwardMessage(db: Db, node: string, message: Message): Promise<boolean> {
  const { clientId, ip } = message
  const answer = await storeRequest(db, node, { clientId, ip, account: null, topics: [], message })
  return answer !== undefined && 'done' in answer && answer.done
}

async function storeRequest(db: Db, node: string, request: Request): Promise<Answer | undefined> {
  const id = makeRandomText(15)
  const asked = await executeStatement(
    db,
    sql`with asked as (
      insert into _subscribing (id, node, request)
      select ${id}, node, ${JSON.stringify(request)}::json from _listeners where node = ${node}
      returning node
    )
    select _announce(${sql.lit(CHANGES_CHANNEL)}, node) from asked`,
  )
  return asked.length > 0 ? awaitAnswer(db, id) : undefined
}

async function awaitAnswer(db: Db, id: string): Promise<Answer | undefined> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(STEP_MS)) {
    const taken = await queries(db)
      .deleteFrom('_subscribing')
      .where('id', '=', id)
      .where('answer', 'is not', null)
      .returning('answer')
      .executeTakeFirst()
    if (taken) return JSON.parse(taken.answer!) as Answer
  }
  await queries(db).deleteFrom('_subscribing').where('id', '=', id).execute()
  return undefined
}

interface NodeHandlers {
  readonly subscribe: (ask: SubscriptionRequest) => Promise<void>
  readonly deliver: (message: Message) => boolean
}

/** Answers the requests that other nodes have forwarded to this node, each once. */
export async function handleForwardedRequest(
  store: Store,
  node: string,
  here: NodeHandlers,
): Promise<void> {
  const asked = await queries(store.db)
    .selectFrom('_subscribing')
    .select(['id', 'request'])
    .where('node', '=', node)
    .where('answer', 'is', null)
    .orderBy('at')
    .execute()
  for (const { id, request } of asked) {
    const answer = await answerRequest(store, JSON.parse(request) as Request, here)
    await queries(store.db)
      .updateTable('_subscribing')
      .set({ answer: JSON.stringify(answer) })
      .where('id', '=', id)
      .execute()
  }
}

async function answerRequest(
  store: Store,
  { clientId, ip, account, topics, message }: Request,
  here: NodeHandlers,
): Promise<Answer> {
  if (message) return { done: here.deliver(message) }
  try {
    await here.subscribe({
      clientId,
      ip,
      topics,
      auth: account && (await findAuth(store, account)),
    })
    return { done: true }
  } catch (error) {
    if (error instanceof StaleAuth) return { stale: true }
    if (!(error instanceof ApiError)) throw error
    const { status, message } = error
    return {
      status,
      message,
      ...(error instanceof RetryLater && { retryAfterSeconds: error.retryAfterSeconds }),
    }
  }
}

/** Reads the account's record. Throws StaleAuth if the record was deleted or changed since `version`. */
async function findAuth(
  store: Store,
  { collection: key, id, version, actor }: Account,
): Promise<AuthRecord> {
  const collection = store.catalog.find(key)
  if (collection?.type !== 'auth') throw new StaleAuth()
  const extra = () => 'b.xmin::text'
  const [row] = await selectRows(store, {
    collection,
    rule: '',
    request: NO_REQUEST,
    ...makeIdCondition(id),
    extra,
  })
  if (row?.[columnsOf(collection).count] !== version) throw new StaleAuth()
  // disabled users need no test: disabling changes the version of the user and of the user's devices
  return makeAuthRecord(collection, toValues(collection, row), version, { actor })
}
