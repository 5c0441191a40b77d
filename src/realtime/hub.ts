import type { Store } from '../collections/catalog.ts'
import { ApiError, badRequest, forbidden, notFound, RetryLater } from '../errors.ts'
import type { Logger } from '../log.ts'
import { authVersionSql, checkAuthVersion, StaleAuth } from '../records/fresh-auth.ts'
import type { AuthRecord } from '../request/request.ts'
import { EventLoopSlices } from '../tools/event-loop-slices.ts'
import { randomText } from '../tools/random.ts'
import type { ChangeEntry } from './changes/change-log.ts'
import { ChangeFeed } from './changes/feed.ts'
import { readSnapshot, type Snapshot } from './changes/snapshot.ts'
import {
  Client,
  type ClientConnection,
  type ConnectionLimits,
  LIMITS,
  NODE_LENGTH,
  type Origin,
} from './clients/client.ts'
import { ClientRegistry } from './clients/client-registry.ts'
import { Flusher } from './clients/flusher.ts'
import type { Owner } from './clients/owner.ts'
import type { Topic } from './clients/topic.ts'
import { keyOf, type Viewer } from './clients/viewers.ts'
import { costOf, HAND_OVER_COST } from './clients/weight.ts'
import { type DeliveryParts, deliverChanges } from './deliver/deliver-changes.ts'
import { Deliveries } from './deliver/deliveries.ts'
import { KeyedQueue } from './deliver/keyed-queue.ts'
import { Limiter } from './deliver/limiter.ts'
import { BUDGETS, type Budgets } from './limits/budgets.ts'
import type { Message } from './nodes/message.ts'
import { forwardMessage, forwardSubscription, handleForwarded } from './nodes/other-node.ts'
import type { SubscriptionRequest } from './nodes/subscription-request.ts'

/** How long a node goes on listening after its last client has left: most come again at once. */
const REST_MS = 10_000
/** How long a stop waits for events that are on their way. */
const LAST_EVENTS_MS = 2_000
/** Who has too many connections may come again then. */
const RETRY_SECONDS = 60

/** What comes with a redirect may be anything. */
const CLIENT_ID = /^\w+$/

/** The realtime side of this process: its clients, and what they hear of changes by anybody on any node. */
export class Realtime {
  readonly #store: Store
  readonly #log: Logger
  readonly #limits: ConnectionLimits
  readonly #node = randomText(NODE_LENGTH)
  readonly #registry: ClientRegistry
  readonly #queue: KeyedQueue
  readonly #limiter: Limiter
  readonly #deliveries: Deliveries
  readonly #flusher: Flusher
  #feed: Promise<ChangeFeed> | undefined
  #ended: Promise<void> = Promise.resolve()
  #rest: NodeJS.Timeout | undefined
  #answered: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(store: Store, log: Logger, limits: ConnectionLimits = LIMITS, budgets: Budgets = BUDGETS) {
    this.#store = store
    this.#log = log
    this.#limits = limits
    this.#queue = new KeyedQueue((error) => log.error({ err: error }, 'an event was not sent'))
    this.#limiter = new Limiter(store)
    this.#flusher = new Flusher(budgets.unreadBytes)
    this.#registry = new ClientRegistry(budgets, (owner) => this.#deliveries.settleTaken(owner))
    const { seating } = this.#registry
    const [slices, limiter] = [new EventLoopSlices(), this.#limiter]
    this.#deliveries = new Deliveries({ seating, slices, limiter, budgets, log })
  }

  /** How many lines are open. */
  get clients(): number {
    return this.#registry.clients.size
  }

  /** Opens a client's line, until `gone`. */
  async connect(origin: Origin, connection: ClientConnection, gone: AbortSignal): Promise<void> {
    await this.#awake()
    if (this.#isClosed) {
      await this.#stopListening()
      throw new ApiError(503, 'This server is about to stop.')
    }
    if (gone.aborted) return this.#restIfAlone()
    const viewer = this.#registry.viewers.guest
    const owner = this.#registry.shares.ownerOf(viewer, origin.network)
    const [limits, flusher] = [this.#limits, this.#flusher]
    const client = new Client(this.#node, { origin, viewer, owner, connection, limits, flusher })
    this.#registry.add(client)
    gone.addEventListener('abort', () => {
      client.close()
      this.#registry.remove(client)
      this.#restIfAlone()
    })
  }

  /**
   * Throws 429 if an account, or a guest's network, has subscribed too often: to be asked before the
   * request's body is read.
   */
  checkPace(auth: AuthRecord | null, network: string): void {
    const { bucket, possessive } = this.#ownerOf(auth, network)
    const seconds = Math.ceil(bucket.secondsUntil(0))
    if (seconds > 0) throw new RetryLater(429, seconds, `Too many subscribe requests ${possessive}`)
  }

  #ownerOf(auth: AuthRecord | null, network: string): Owner {
    const { viewers, shares } = this.#registry
    return shares.ownerOf(auth ? { key: keyOf(auth.collection.id, auth.id) } : viewers.guest, network)
  }

  /**
   * Puts subscriptions in the place of a client's old ones, on whichever node its line is. Each change that
   * is committed after this is done will be heard. Throws 404, 400, 403, and StaleAuth if who asks has
   * changed.
   * PocketBase: apis/realtime.go, realtimeSetSubscriptions
   */
  async subscribe(ask: SubscriptionRequest): Promise<void> {
    const node = ask.clientId.slice(0, NODE_LENGTH)
    const mayBeElsewhere = node !== this.#node && CLIENT_ID.test(ask.clientId)
    const { bucket } = this.#ownerOf(ask.auth, ask.network)
    bucket.take(costOf(ask.topics) + (mayBeElsewhere ? HAND_OVER_COST : 0))
    const isElsewhere = mayBeElsewhere && (await forwardSubscription(this.#store.db, node, ask))
    if (!isElsewhere) await this.#subscribeHere(ask)
  }

  async #subscribeHere({ clientId, ip, auth, topics }: SubscriptionRequest): Promise<void> {
    const client = this.#find(clientId, ip, auth)
    // held from before the look: what changes after it is heard, what changed before it is seen
    const viewer = this.#registry.viewers.hold(auth)
    try {
      this.#checkRoom(client, viewer)
      this.#checkOptions(this.#ownerOf(auth, client.origin.network), topics)
      await (await this.#awake()).settled
      const since = await this.#moment(auth)
      this.#find(clientId, ip, auth)
      if (auth && !viewer.auth) throw new StaleAuth()
      this.#registry.subscribe(client, viewer, topics, since)
    } catch (error) {
      this.#registry.viewers.release(viewer)
      throw error
    }
  }

  /**
   * Sends a message to the one client for which it is, on whichever node its line is, and ends its
   * subscription to the topic: it is heard once. False if there is no such client at this address, or it does
   * not wait for that.
   */
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

  /** Sends what is on its way, then hangs up on everybody. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#rest)
    await this.#stopListening()
    const late = new Promise((resolve) => setTimeout(resolve, LAST_EVENTS_MS).unref())
    const settled = Promise.all([this.#queue.whenIdle(), this.#deliveries.settled()])
    await Promise.race([settled, late])
    this.#endAll()
  }

  /**
   * A viewer is held once more while he asks. Throws 429 if there is no room for another connection of his.
   */
  #checkRoom(client: Client, viewer: Viewer): void {
    const { ofAccount = 0 } = this.#limits
    if (ofAccount === 0 || client.viewer === viewer || this.#registry.viewers.count(viewer) <= ofAccount)
      return
    throw new RetryLater(429, RETRY_SECONDS, 'Too many event streams of your account are open')
  }

  /** Throws 429 where filters of the same owner took too long. */
  #checkOptions({ refusedSeconds, possessive }: Owner, topics: readonly Topic[]): void {
    if (refusedSeconds === 0 || topics.every(({ name, base }) => name === base)) return
    throw new RetryLater(429, refusedSeconds, `Filters of subscriptions ${possessive} took too long`)
  }

  /** Only from guest to somebody may a connection change hands. */
  #find(id: string, ip: string, auth: AuthRecord | null): Client {
    this.#registry.follow(this.#store.catalog)
    const client = this.#registry.clients.get(id)
    if (!client) throw notFound('Missing or invalid client id.')
    if (client.origin.ip !== ip) throw badRequest('Invalid realtime client.')
    const bound = client.viewer.auth
    if (bound && !(auth && bound.id === auth.id && bound.collection.id === auth.collection.id))
      throw forbidden("The current and the previous request authorization don't match.")
    return client
  }

  /** What is there now, for which `auth` has to be still true. */
  async #moment(auth: AuthRecord | null): Promise<Snapshot> {
    const text = `select pg_current_snapshot()::text, ${authVersionSql(auth, 1)}`
    const { rows } = await this.#store.db.query(text, auth ? [auth.id] : [])
    const [snapshot, version] = rows[0]!
    checkAuthVersion(auth, version)
    return readSnapshot(String(snapshot))
  }

  #awake(): Promise<ChangeFeed> {
    clearTimeout(this.#rest)
    this.#feed ??= this.#ended
      .then(() => ChangeFeed.start(this.#store, this.#node, this.#log, this.#listener))
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

  get #parts(): DeliveryParts {
    return {
      store: this.#store,
      log: this.#log,
      registry: this.#registry,
      queue: this.#queue,
      limiter: this.#limiter,
      deliveries: this.#deliveries,
    }
  }

  readonly #listener = {
    heard: (entries: readonly ChangeEntry[], isPatient: boolean) =>
      deliverChanges(this.#parts, entries, isPatient),
    lost: () => this.#endAll(),
    asked: () => {
      this.#answered = this.#answered.then(() => this.#answer())
    },
  }

  async #answer(): Promise<void> {
    try {
      await handleForwarded(this.#store, this.#node, {
        subscribe: (ask) => this.#subscribeHere(ask),
        deliver: (message) => this.#deliverHere(message),
      })
    } catch (error) {
      this.#log.warn({ err: error }, 'another node was not answered')
    }
  }

  #endAll(): void {
    for (const client of this.#registry.clients.values()) client.end()
  }
}
