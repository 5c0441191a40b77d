import type { Store } from '../collections/catalog.ts'
import { ApiError, badRequest, forbidden, notFound, TooMany } from '../errors.ts'
import { EventLoopSlices } from '../event-loop-slices.ts'
import { randomText } from '../fields/random.ts'
import type { AuthRecord } from '../filter/request.ts'
import type { Logger } from '../log.ts'
import { checkVersion, StaleAuth, versionSql } from '../records/guard.ts'
import type { Ask } from './ask.ts'
import { Audience } from './audience.ts'
import { BUDGETS, type Budgets } from './budgets.ts'
import { Client, LIMITS, type Limits, type Line, NODE_LENGTH, type Origin } from './client.ts'
import { type DeliveryParts, deliverChanges } from './deliver-changes.ts'
import { Deliveries } from './deliveries.ts'
import { Feed } from './feed.ts'
import { Flusher } from './flusher.ts'
import { Lanes } from './lanes.ts'
import { Limiter } from './limiter.ts'
import type { Message } from './message.ts'
import { answerAsks, handOver, handOverMessage } from './other-node.ts'
import type { Entry } from './outbox.ts'
import type { Owner } from './owner.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'
import type { Topic } from './topic.ts'
import { keyOf, type Viewer } from './viewers.ts'
import { costOf, HAND_OVER_COST } from './weight.ts'

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
  readonly #limits: Limits
  readonly #node = randomText(NODE_LENGTH)
  readonly #audience: Audience
  readonly #lanes: Lanes
  readonly #limiter: Limiter
  readonly #deliveries: Deliveries
  readonly #flusher: Flusher
  #feed: Promise<Feed> | undefined
  #ended: Promise<void> = Promise.resolve()
  #rest: NodeJS.Timeout | undefined
  #answered: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(store: Store, log: Logger, limits: Limits = LIMITS, budgets: Budgets = BUDGETS) {
    this.#store = store
    this.#log = log
    this.#limits = limits
    this.#lanes = new Lanes((error) => log.error({ err: error }, 'an event was not sent'))
    this.#limiter = new Limiter(store)
    this.#flusher = new Flusher(budgets.unreadBytes)
    this.#audience = new Audience(budgets, (owner) => this.#deliveries.settleTaken(owner))
    const { seating } = this.#audience
    const [slices, limiter] = [new EventLoopSlices(), this.#limiter]
    this.#deliveries = new Deliveries({ seating, slices, limiter, budgets, log })
  }

  /** How many lines are open. */
  get clients(): number {
    return this.#audience.clients.size
  }

  /** Opens a client's line, until `gone`. */
  async connect(origin: Origin, line: Line, gone: AbortSignal): Promise<void> {
    await this.#awake()
    if (this.#isClosed) {
      await this.#stopListening()
      throw new ApiError(503, 'This server is about to stop.')
    }
    if (gone.aborted) return this.#restIfAlone()
    const viewer = this.#audience.viewers.guest
    const owner = this.#audience.shares.ownerOf(viewer, origin.network)
    const [limits, flusher] = [this.#limits, this.#flusher]
    const client = new Client(this.#node, { origin, viewer, owner, line, limits, flusher })
    this.#audience.add(client)
    gone.addEventListener('abort', () => {
      client.close()
      this.#audience.remove(client)
      this.#restIfAlone()
    })
  }

  /** Throws 429 if an account, or a guest's network, has subscribed too often: to be asked before the request's body is read. */
  checkPace(auth: AuthRecord | null, network: string): void {
    const { bucket, possessive } = this.#ownerOf(auth, network)
    const seconds = Math.ceil(bucket.secondsUntil(0))
    if (seconds > 0) throw new TooMany(429, seconds, `Too many subscribe requests ${possessive}`)
  }

  #ownerOf(auth: AuthRecord | null, network: string): Owner {
    const { viewers, shares } = this.#audience
    return shares.ownerOf(auth ? { key: keyOf(auth.collection.id, auth.id) } : viewers.guest, network)
  }

  /**
   * Puts subscriptions in the place of a client's old ones, on whichever node its line is. Each change that is
   * committed after this is done will be heard. Throws 404, 400, 403, and StaleAuth if who asks has changed.
   * PocketBase: apis/realtime.go, realtimeSetSubscriptions
   */
  async subscribe(ask: Ask): Promise<void> {
    const node = ask.clientId.slice(0, NODE_LENGTH)
    const mayBeElsewhere = node !== this.#node && CLIENT_ID.test(ask.clientId)
    const { bucket } = this.#ownerOf(ask.auth, ask.network)
    bucket.take(costOf(ask.topics) + (mayBeElsewhere ? HAND_OVER_COST : 0))
    const isElsewhere = mayBeElsewhere && (await handOver(this.#store.db, node, ask))
    if (!isElsewhere) await this.#subscribeHere(ask)
  }

  async #subscribeHere({ clientId, ip, auth, topics }: Ask): Promise<void> {
    const client = this.#find(clientId, ip, auth)
    // held from before the look: what changes after it is heard, what changed before it is seen
    const viewer = this.#audience.viewers.hold(auth)
    try {
      this.#checkRoom(client, viewer)
      this.#checkOptions(this.#ownerOf(auth, client.origin.network), topics)
      await (await this.#awake()).settled
      const since = await this.#moment(auth)
      this.#find(clientId, ip, auth)
      if (auth && !viewer.auth) throw new StaleAuth()
      this.#audience.subscribe(client, viewer, topics, since)
    } catch (error) {
      this.#audience.viewers.release(viewer)
      throw error
    }
  }

  /**
   * Sends a message to the one client for which it is, on whichever node its line is, and ends its subscription to the topic:
   * it is heard once. False if there is no such client at this address, or it does not wait for that.
   */
  async deliver(message: Message): Promise<boolean> {
    const node = message.clientId.slice(0, NODE_LENGTH)
    if (node === this.#node) return this.#deliverHere(message)
    return CLIENT_ID.test(message.clientId) && (await handOverMessage(this.#store.db, node, message))
  }

  #deliverHere({ clientId, ip, topic, data }: Message): boolean {
    const client = this.#audience.clients.get(clientId)
    if (client?.origin.ip !== ip || !client.subscriptions.has(topic)) return false
    client.send(topic, data)
    this.#audience.unsubscribe(client, topic)
    return true
  }

  /** Sends what is on its way, then hangs up on everybody. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#rest)
    await this.#stopListening()
    const late = new Promise((resolve) => setTimeout(resolve, LAST_EVENTS_MS).unref())
    const settled = Promise.all([this.#lanes.settled(), this.#deliveries.settled()])
    await Promise.race([settled, late])
    this.#endAll()
  }

  /** A viewer is held once more while he asks. Throws 429 if there is no room for another connection of his. */
  #checkRoom(client: Client, viewer: Viewer): void {
    const { ofAccount = 0 } = this.#limits
    if (ofAccount === 0 || client.viewer === viewer || this.#audience.viewers.count(viewer) <= ofAccount)
      return
    throw new TooMany(429, RETRY_SECONDS, 'Too many event streams of your account are open')
  }

  /** Throws 429 where filters of the same owner took too long. */
  #checkOptions({ refusedSeconds, possessive }: Owner, topics: readonly Topic[]): void {
    if (refusedSeconds === 0 || topics.every(({ name, base }) => name === base)) return
    throw new TooMany(429, refusedSeconds, `Filters of subscriptions ${possessive} took too long`)
  }

  /** Only from guest to somebody may a connection change hands. */
  #find(id: string, ip: string, auth: AuthRecord | null): Client {
    this.#audience.follow(this.#store.catalog)
    const client = this.#audience.clients.get(id)
    if (!client) throw notFound('Missing or invalid client id.')
    if (client.origin.ip !== ip) throw badRequest('Invalid realtime client.')
    const bound = client.viewer.auth
    if (bound && !(auth && bound.id === auth.id && bound.collection.id === auth.collection.id))
      throw forbidden("The current and the previous request authorization don't match.")
    return client
  }

  /** What is there now, for which `auth` has to be still true. */
  async #moment(auth: AuthRecord | null): Promise<Snapshot> {
    const text = `select pg_current_snapshot()::text, ${versionSql(auth, 1)}`
    const { rows } = await this.#store.db.query(text, auth ? [auth.id] : [])
    const [snapshot, version] = rows[0]!
    checkVersion(auth, version)
    return readSnapshot(String(snapshot))
  }

  #awake(): Promise<Feed> {
    clearTimeout(this.#rest)
    this.#feed ??= this.#ended
      .then(() => Feed.start(this.#store, this.#node, this.#log, this.#listener))
      .catch((error: unknown) => {
        this.#feed = undefined
        throw error
      })
    return this.#feed
  }

  #restIfAlone(): void {
    clearTimeout(this.#rest)
    if (this.#audience.clients.size > 0) return
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
      audience: this.#audience,
      lanes: this.#lanes,
      limiter: this.#limiter,
      deliveries: this.#deliveries,
    }
  }

  readonly #listener = {
    heard: (entries: readonly Entry[], isPatient: boolean) => deliverChanges(this.#parts, entries, isPatient),
    lost: () => this.#endAll(),
    asked: () => {
      this.#answered = this.#answered.then(() => this.#answer())
    },
  }

  async #answer(): Promise<void> {
    try {
      await answerAsks(this.#store, this.#node, {
        subscribe: (ask) => this.#subscribeHere(ask),
        deliver: (message) => this.#deliverHere(message),
      })
    } catch (error) {
      this.#log.warn({ err: error }, 'another node was not answered')
    }
  }

  #endAll(): void {
    for (const client of this.#audience.clients.values()) client.end()
  }
}
