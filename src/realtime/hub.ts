import { z } from 'zod'
import { admission } from '../admission/admission.ts'
import type { Holder } from '../admission/holder.ts'
import { type Store, USERS_ID } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Db } from '../db/open.ts'
import { serialQueue } from '../db/serial-queue.ts'
import { ApiError, badRequest, forbidden, notFound } from '../errors.ts'
import type { Logger } from '../log.ts'
import { authVersionSql, checkAuthVersion, StaleAuth } from '../records/record-sql.ts'
import type { AuthRecord } from '../request/request.ts'
import { atMost } from '../tools/deadline.ts'
import { randomText } from '../tools/random.ts'
import { type DeliveryParts, deliverChanges } from './broadcast.ts'
import { type ChangeEntry, readSnapshot, type Snapshot } from './change-log.ts'
import {
  Client,
  type ClientConnection,
  type ConnectionLimits,
  Flusher,
  LIMITS,
  NODE_LENGTH,
  type Origin,
  type Topic,
} from './client.ts'
import { ClientRegistry } from './client-registry.ts'
import { delivery, Lanes } from './deliveries.ts'
import { CHANGES_CHANNEL, type ChangeFeed, startFeed } from './feed.ts'
import {
  forwardMessage,
  forwardSubscription,
  handleForwarded,
  type Message,
  type SubscriptionRequest,
} from './other-node.ts'

/** How long a node keeps listening after its last client left: most clients reconnect soon. */
const REST_MS = 10_000
const LAST_EVENTS_MS = 2_000
/** Cost of a subscribe request, in units of the subscription rate; each topic adds one. */
const REQUEST_UNITS = 20

const CLIENT_ID = /^\w+$/

/** The event streams of this process. Their clients get changes that were made on any node. */
export class Realtime {
  readonly #store: Store
  readonly #log: Logger
  readonly #limits: ConnectionLimits
  readonly #node = randomText(NODE_LENGTH)
  readonly #registry = new ClientRegistry()
  readonly #lanes = new Lanes(admission.realtimeMemory)
  readonly #parts: DeliveryParts
  readonly #flusher = new Flusher()
  #feed: Promise<ChangeFeed> | undefined
  #ended: Promise<void> = Promise.resolve()
  #rest: NodeJS.Timeout | undefined
  readonly #inTurn = serialQueue()
  #isClosed = false

  constructor(all: CatalogStore, log: Logger, limits: ConnectionLimits = LIMITS) {
    this.#store = all.forEverybody('realtime')
    this.#log = log
    this.#limits = limits
    this.#parts = { store: all, log, registry: this.#registry, deliver: delivery(this.#lanes, log) }
  }

  get clients(): number {
    return this.#registry.clients.size
  }

  async connect(origin: Origin, connection: ClientConnection, gone: AbortSignal): Promise<void> {
    await this.#awake()
    if (this.#isClosed) {
      await this.#stopListening()
      throw new ApiError(503, 'This server is about to stop.')
    }
    if (gone.aborted) return this.#restIfAlone()
    const client: Client = new Client(this.#node, {
      origin,
      viewer: this.#registry.viewers.guest,
      connection,
      limits: this.#limits,
      flusher: this.#flusher,
      memory: admission.realtimeMemory,
      over: () => this.#registry.remove(client),
    })
    this.#registry.add(client)
    gone.addEventListener('abort', () => {
      client.close()
      this.#restIfAlone()
    })
  }

  /**
   * Replaces the subscriptions of a client on any node; it gets each change committed after this. Throws 404,
   * 400, 403, RetryLater, StaleAuth. PocketBase: apis/realtime.go, realtimeSetSubscriptions
   */
  async subscribe(holder: Holder, ask: SubscriptionRequest): Promise<void> {
    admission.subscriptions.take(holder, REQUEST_UNITS + ask.topics.length)
    const node = ask.clientId.slice(0, NODE_LENGTH)
    const isElsewhere =
      node !== this.#node &&
      CLIENT_ID.test(ask.clientId) &&
      (await forwardSubscription(this.#store.db, node, ask))
    if (!isElsewhere) await this.#subscribeHere(ask)
  }

  async #subscribeHere({ clientId, ip, auth, topics }: SubscriptionRequest): Promise<void> {
    const client = this.#find(clientId, ip, auth)
    // hold the viewer before the snapshot is taken: no later change of its record is missed
    const viewer = this.#registry.viewers.hold(auth)
    try {
      await (await this.#awake()).hear(this.#collectionsOf(topics))
      const since = await this.#currentSnapshot(auth)
      this.#find(clientId, ip, auth)
      if (auth && !viewer.auth) throw new StaleAuth()
      this.#registry.subscribe(client, viewer, topics, since)
    } catch (error) {
      this.#registry.viewers.release(viewer)
      throw error
    }
  }

  /** Sends a message to a client of any node, then ends that subscription. Returns whether it had one. */
  async deliver(message: Message): Promise<boolean> {
    const node = message.clientId.slice(0, NODE_LENGTH)
    if (node === this.#node) return this.#deliverHere(message)
    return CLIENT_ID.test(message.clientId) && (await forwardMessage(this.#store.db, node, message))
  }

  #deliverHere({ clientId, ip, topic, data }: Message): boolean {
    const client = this.#registry.clients.get(clientId)
    if (client?.origin.ip !== ip || !client.subscriptions.has(topic)) return false
    client.send(topic, data)
    this.#registry.unsubscribe(client, topic)
    return true
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#rest)
    await this.#stopListening()
    await atMost(this.#lanes.whenIdle(), LAST_EVENTS_MS)
    this.#endAll()
  }

  /** Finds a client at this address, of this viewer or a guest. Throws 404, 400, 403. */
  #find(id: string, ip: string, auth: AuthRecord | null): Client {
    this.#registry.follow(this.#store.catalog)
    const client = this.#registry.clients.get(id)
    if (!client) throw notFound('Missing or invalid client id.')
    if (client.origin.ip !== ip) throw badRequest('Invalid realtime client.')
    const bound = client.viewer.auth
    const isSame = bound?.id === auth?.id && bound?.collection.id === auth?.collection.id
    if (bound && !(isSame && bound.actor?.id === auth?.actor?.id))
      throw forbidden("The current and the previous request authorization don't match.")
    return client
  }

  #collectionsOf(topics: readonly Topic[]): string[] {
    return topics.flatMap(({ base }) => this.#store.catalog.find(base.split('/', 1)[0]!)?.id ?? [])
  }

  async #currentSnapshot(auth: AuthRecord | null): Promise<Snapshot> {
    const text = `select pg_current_snapshot()::text, ${authVersionSql(auth, 1)}`
    const { rows } = await this.#store.db.query(text, auth ? [auth.id] : [])
    const [snapshot, version] = rows[0]!
    checkAuthVersion(auth, version)
    return readSnapshot(String(snapshot))
  }

  #awake(): Promise<ChangeFeed> {
    clearTimeout(this.#rest)
    this.#feed ??= this.#ended
      .then(() => startFeed(this.#store, this.#node, this.#log, this.#listener))
      .catch((error: unknown) => {
        this.#feed = undefined
        throw error
      })
    return this.#feed
  }

  #restIfAlone(): void {
    clearTimeout(this.#rest)
    if (this.#registry.clients.size > 0) return
    this.#rest = setTimeout(() => void this.#stopListening(), REST_MS)
  }

  async #stopListening(): Promise<void> {
    const feed = this.#feed
    this.#feed = undefined
    if (feed) this.#ended = feed.then((feed) => feed.end()).catch(() => {})
    await this.#ended
  }

  readonly #listener = {
    heard: (entries: readonly ChangeEntry[]) => deliverChanges(this.#parts, entries),
    lost: () => this.#endAll(),
    accountMessage: (message: string) => tellAccount(this.#registry, message),
    asked: () => void this.#inTurn(() => this.#answer()),
  }

  async #answer(): Promise<void> {
    try {
      await handleForwarded(this.#store, this.#node, {
        subscribe: (ask) => this.#subscribeHere(ask),
        deliver: (message) => this.#deliverHere(message),
      })
    } catch (error) {
      this.#log.warn({ err: error }, 'could not answer requests of other nodes')
    }
  }

  #endAll(): void {
    for (const client of this.#registry.clients.values()) client.end()
  }
}

const TOPIC = 'presence'
const STATES = ['reading', 'writing', ''] as const
/** Cost in units of the subscription rate: an account may send 1,000 at once, then 20 a second. */
const UNITS = 100

export const PRESENCE = z
  .strictObject({
    conversation: z
      .string()
      .regex(/^[\w-]{1,50}$/)
      .describe('The id of the conversation.'),
    state: z.enum(STATES).describe('`reading`, `writing`, or empty for neither.'),
  })
  .meta({ id: 'Presence' })

/** The name is cut to 100 characters, at most 600 bytes of JSON, as a NOTIFY holds 8,000 bytes. */
const TELL = `
select _announce($1, json_build_object('account', $2::text, 'data', json_build_object(
  'conversation', $4::text, 'sender', $3::text, 'name', left(coalesce((select name from senders where id = $3), ''), 100),
  'state', $5::text))::text)`

/** Notifies all clients of an account, on all nodes, of a person's presence. Not stored. Throws 429. */
export async function tellPresence(
  db: Db,
  holder: Holder,
  { account, sender }: { readonly account: string; readonly sender: string },
  { conversation, state }: z.output<typeof PRESENCE>,
): Promise<void> {
  admission.subscriptions.take(holder, UNITS)
  await db.query(TELL, [CHANGES_CHANNEL, account, sender, conversation, state], 'tell presence')
}

function tellAccount({ index }: Pick<ClientRegistry, 'index'>, message: string): void {
  const { account, data } = JSON.parse(message) as { account: string; data: object }
  const text = JSON.stringify(data)
  for (const client of index.clientsOf(TOPIC, USERS_ID, account)) client.send(TOPIC, text)
}
