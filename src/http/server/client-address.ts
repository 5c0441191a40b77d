import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Store } from '../../engine/collections/catalog.ts'
import { limitCatalog } from '../../engine/records/check-rules.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { type Holder, makeGuestHolder } from '../../platform/limits/limit-holder.ts'
import { isIpListed } from '../../platform/tools/ip-lists.ts'
import { RequestMemory } from '../limit-request-memory.ts'
import type { Ctx, Services } from '../request-context.ts'

type Trust = Pick<Services, 'settings' | 'config'>

/**
 * The client's address, from a trusted header, a trusted proxy's X-Forwarded-For or the socket. Contract 8.5
 */
export const readClientIp = (c: Ctx, services: Trust): string =>
  readIncomingIp(c.env.incoming, services)

/** The same as `readClientIp`, for a Node request. Contract 8.5 */
export function readIncomingIp(incoming: IncomingMessage, { settings, config }: Trust): string {
  const { headers, useLeftmostIP } = settings.current.trustedProxy
  for (const header of headers) {
    const found = readAddresses(incoming, header)
    const ip = useLeftmostIP ? found[0] : found.at(-1)
    if (ip) return ip
  }
  const peer = readPeerAddress(incoming)
  if (!isTrustedProxy(incoming, config)) return peer
  return findFarthestHop(
    incoming.headersDistinct['x-forwarded-for'] ?? [],
    config.trustedProxies,
    peer,
  )
}

/**
 * Skips trusted proxies at the end of a forwarding header. The address before them is the client's, as far as
 * known; all before that may be forged.
 */
function findFarthestHop(
  values: readonly string[],
  proxies: readonly string[],
  peer: string,
): string {
  let last = peer
  for (const hop of values.flatMap((value) => value.split(',')).reverse()) {
    const ip = toPlainIp(dropPort(hop.trim()))
    if (isIP(ip) === 0) return last
    if (!isIpListed(proxies, ip)) return ip
    last = ip
  }
  return last
}

/** Removes the port that some proxies add: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const dropPort = (hop: string) =>
  /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop)?.slice(1).find(Boolean) ?? hop

export const isTrustedProxy = (
  incoming: IncomingMessage,
  { trustedProxies }: Trust['config'],
): boolean => trustedProxies.length > 0 && isIpListed(trustedProxies, readPeerAddress(incoming))

const readPeerAddress = ({ socket }: IncomingMessage) => readSocketAddress(socket)

/** The address of a connection's other end, a client or a proxy; '' once it is closed. */
export const readSocketAddress = (socket: Socket | null): string =>
  toPlainIp(socket?.remoteAddress ?? '')

function readAddresses({ headersDistinct }: IncomingMessage, header: string): string[] {
  const value = headersDistinct[header.toLowerCase()]?.at(-1) ?? ''
  return value
    .split(',')
    .map((part) => toPlainIp(part.trim()))
    .filter((part) => isIP(part) > 0)
}

/** Turns an IPv4 address in IPv6 form, `::ffff:203.0.113.7`, into plain IPv4. */
const toPlainIp = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/i, '')

/** Whom limits charge for a request: an account (also for its devices and members) or a guest's network. */
export const findRequestHolder = (
  incoming: IncomingMessage,
  services: Trust,
  auth: AuthRecord | null | undefined,
): Holder => auth?.holder ?? makeGuestHolder(readIncomingIp(incoming, services))

/** The store for a request, charged to the caller, with the collections that the caller's role allows. */
export function openStoreForCaller(
  { env }: Ctx,
  services: Services,
  auth: AuthRecord | null,
): Store {
  const ticket = {
    holder: findRequestHolder(env.incoming, services, auth),
    isSuperuser: auth?.isSuperuser ?? false,
    isGone: () => env.outgoing.closed,
  }
  const { store } = services
  const { catalog } = store
  return {
    db: store.database.for(ticket),
    catalog: auth?.limits ? limitCatalog(catalog, auth.limits) : catalog,
  }
}

export interface Caller {
  readonly auth: AuthRecord
  readonly store: Store
}

/** The memory of a request's body and answer, charged to the caller known when this is called first. */
export function findRequestMemory(c: Ctx): RequestMemory {
  const known = c.get('memory')
  if (known) return known
  const { incoming, outgoing } = c.env
  const auth = c.get('asker') ?? null
  const memory = new RequestMemory(
    findRequestHolder(incoming, c.get('services')!, auth),
    auth?.isSuperuser,
  )
  c.set('memory', memory)
  if (outgoing.closed) memory.close()
  else outgoing.once('close', () => memory.close())
  return memory
}

/**
 * Reserves memory for an answer until it is sent. Throws RetryLater if there is no room, but only for a GET.
 */
export function countAnswer(c: Ctx, bytes: number): void {
  if (!c.get('services')) return
  const { method } = c.env.incoming
  if (method === 'GET' || method === 'HEAD') findRequestMemory(c).hold(bytes)
  else findRequestMemory(c).force(bytes)
}
