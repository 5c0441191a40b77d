import { ApiError, badRequest, forbidden, notFound } from '../../platform/api-errors.ts'
import type { Holder } from '../../platform/limits/limit-holder.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import type { Logger } from '../../platform/log.ts'
import { waitAtMost } from '../../platform/tools/deadline.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { makeSerialQueue } from '../../platform/tools/repeat-work.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { USERS_ID } from '../collections/collection.ts'
import { StaleAuth } from '../records/check-auth-version.ts'
import type { AuthRecord } from '../request/request.ts'
import { TOPIC } from './announce-presence.ts'
import { broadcastChanges } from './broadcast.ts'
import type { ChangeEntry } from './change-log.ts'
import {
  Client,
  type ClientConnection,
  type ClientOrigin,
  CONNECTION_LIMITS,
  type ConnectionLimits,
  NODE_LENGTH,
} from './client.ts'
import { makeClientRegistry } from './client-registry.ts'
import { makeDelivery, makeLanes } from './deliver-changes.ts'
import { makeEventFlusher } from './flush-events.ts'
import { type ChangeFeed, followChanges } from './follow-changes.ts'
import {
  forwardMessage,
  forwardSubscription,
  handleForwardedRequest,
  type Message,
  type SubscriptionRequest,
} from './other-node.ts'
import { loadSnapshotForCaller } from './snapshot.ts'

/** How long a node still reads changes after its last client left: most clients reconnect soon. */
const REST_MS = 10_000

const LAST_EVENTS_MS = 2_000

/** Cost of a subscribe request in units of the rate limit for subscriptions. Each topic adds one unit. */
const REQUEST_UNITS = 20

const CLIENT_ID = /^\w+$/

export type Realtime = ReturnType<typeof openRealtime>

/** The event streams of this process. Their clients get changes that were made on any node. */
export function openRealtime(
  all: CatalogStore,
  log: Logger,
  limits: ConnectionLimits = CONNECTION_LIMITS,
) {
  const store = all.forEverybody('realtime')
  const { db } = store
  const thisNode = makeRandomText(NODE_LENGTH)
  const registry = makeClientRegistry()
  const lanes = makeLanes(admission.realtimeMemory)
  const parts = { store: all, log, registry, deliver: makeDelivery(lanes, log) }
  const flusher = makeEventFlusher()
  const inTurn = makeSerialQueue()
  let feed: Promise<ChangeFeed> | undefined
  let ended: Promise<void> = Promise.resolve()
  let rest: NodeJS.Timeout | undefined
  let isClosed = false

  function endAll(): void {
    for (const client of registry.clients.values()) client.end()
  }

  function awake(): Promise<ChangeFeed> {
    clearTimeout(rest)
    feed ??= ended
      .then(() => followChanges(store, thisNode, log, listener))
      .catch((error: unknown) => {
        feed = undefined
        throw error
      })
    return feed
  }

  function restIfAlone(): void {
    clearTimeout(rest)
    if (registry.clients.size === 0) rest = setTimeout(() => void stopListening(), REST_MS)
  }

  async function stopListening(): Promise<void> {
    const old = feed
    feed = undefined
    if (old) ended = old.then((feed) => feed.end()).catch(() => {})
    await ended
  }

  /** Finds a client. Throws 404 if it is missing, 400 for another IP address, 403 for another account. */
  function find(id: string, ip: string, auth: AuthRecord | null): Client {
    registry.follow(store.catalog)
    const client = registry.clients.get(id)
    if (!client) throw notFound('Missing or invalid client id.')
    if (client.origin.ip !== ip) throw badRequest('Invalid realtime client.')
    const bound = client.viewer.auth
    const isSame = bound?.id === auth?.id && bound?.collection.id === auth?.collection.id
    if (bound && !(isSame && bound.actor?.id === auth?.actor?.id))
      throw forbidden("The current and the previous request authorization don't match.")
    return client
  }

  async function subscribeHere({ clientId, ip, auth, topics }: SubscriptionRequest): Promise<void> {
    const client = find(clientId, ip, auth)
    // keep the viewer from now on, so that it also gets changes of its record after the snapshot
    const viewer = registry.viewers.hold(auth)
    const ids = topics.flatMap(({ base }) => store.catalog.find(base.split('/', 1)[0]!)?.id ?? [])
    try {
      const { late } = await (await awake()).hear(ids)
      const since = await loadSnapshotForCaller(db, auth)
      find(clientId, ip, auth)
      if (auth && !viewer.auth) throw new StaleAuth()
      registry.subscribe(client, viewer, topics, since)
      void late?.then(() => client.end())
    } catch (error) {
      registry.viewers.release(viewer)
      throw error
    }
  }

  function deliverHere({ clientId, ip, topic, data }: Message): boolean {
    const client = registry.clients.get(clientId)
    if (client?.origin.ip !== ip || !client.subscriptions.has(topic)) return false
    client.send(topic, data)
    registry.unsubscribe(client, topic)
    return true
  }

  const listener = {
    heard: (entries: readonly ChangeEntry[]) => broadcastChanges(parts, entries),
    lost: endAll,
    accountMessage(message: string): void {
      const { account, data } = JSON.parse(message) as { account: string; data: object }
      const text = JSON.stringify(data)
      for (const client of registry.index.clientsOf(TOPIC, USERS_ID, account))
        client.send(TOPIC, text)
    },
    asked: () =>
      void inTurn(() =>
        handleForwardedRequest(store, thisNode, {
          subscribe: subscribeHere,
          deliver: deliverHere,
        }).catch((err) => log.warn({ err }, 'could not answer requests of other nodes')),
      ),
  }

  return {
    get clients(): number {
      return registry.clients.size
    },
    /** Adds a client. Returns a function that ends its stream. */
    async connect(
      origin: ClientOrigin,
      connection: ClientConnection,
      gone: AbortSignal,
    ): Promise<() => void> {
      await awake()
      if (isClosed) {
        await stopListening()
        throw new ApiError(503, 'This server is about to stop.')
      }
      if (gone.aborted) {
        restIfAlone()
        return () => {}
      }
      const client: Client = new Client(thisNode, {
        origin,
        viewer: registry.viewers.guest,
        connection,
        limits,
        flusher,
        memory: admission.realtimeMemory,
        over: () => registry.remove(client),
      })
      registry.clients.set(client.id, client)
      gone.addEventListener('abort', () => {
        client.close()
        restIfAlone()
      })
      return () => client.end()
    },
    /**
     * Replaces the subscriptions of a client on any node, for changes committed after the call. Throws 404,
     * 400 or 403 like `find`, RetryLater at a limit, StaleAuth if the account has changed meanwhile.
     * PocketBase: apis/realtime.go, realtimeSetSubscriptions
     */
    async subscribe(holder: Holder, ask: SubscriptionRequest): Promise<void> {
      admission.subscriptions.take(holder, REQUEST_UNITS + ask.topics.length)
      const node = ask.clientId.slice(0, NODE_LENGTH)
      const isElsewhere =
        node !== thisNode &&
        CLIENT_ID.test(ask.clientId) &&
        (await forwardSubscription(db, node, ask))
      if (!isElsewhere) await subscribeHere(ask)
    },
    /** Sends a message to a client on any node, then ends the client's subscription. False if it has none. */
    async deliver(message: Message): Promise<boolean> {
      const node = message.clientId.slice(0, NODE_LENGTH)
      if (node === thisNode) return deliverHere(message)
      return CLIENT_ID.test(message.clientId) && (await forwardMessage(db, node, message))
    },
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(rest)
      await stopListening()
      await waitAtMost(lanes.whenIdle(), LAST_EVENTS_MS)
      endAll()
    },
  }
}
