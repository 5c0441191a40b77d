import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ProxySettings } from '../config.ts'
import { isIpListed } from '../tools/ip-lists.ts'
import { lookUpHost } from './refuse-private-addresses.ts'

const DIRECT: ProxySettings = { httpsProxy: undefined, noProxy: [], proxyNames: [] }
let settings = DIRECT

/** Sends the calls of this process by a proxy from now on. */
export function useProxy(next: ProxySettings): void {
  settings = next
}

const LOCAL = /^(localhost|127(\.\d+){3}|::1)$/i

/** Whether calls to a host use the proxy. Those to this machine never do. */
export function usesProxy(host: string, port: number): boolean {
  const { httpsProxy, noProxy } = settings
  return httpsProxy !== undefined && !LOCAL.test(host) && !isHostListed(noProxy, host, port)
}

/**
 * Whether a list has a host: `*`, a name with its subdomains, an address or a network; a name and an IPv4
 * address also with a port.
 */
function isHostListed(list: readonly string[], host: string, port: number): boolean {
  const asked = host.toLowerCase()
  return list.some((entry) => {
    if (entry === '*') return true
    const [, name = '', only] = /^([^:]*):(\d+)$/.exec(entry) ?? [entry, entry]
    if (only !== undefined && Number(only) !== port) return false
    if (isIP(asked) > 0) return isIpListed([name], asked)
    const plain = name.toLowerCase().replace(/^\*?\./, '')
    return plain !== '' && (asked === plain || asked.endsWith(`.${plain}`))
  })
}

/** The address of a host. An address itself and the names of PROXY_NAMES are not looked up. */
function findAddress(host: string, port: number, lookUp: LookupFunction): Promise<string> {
  if (isIP(host) > 0 || isHostListed(settings.proxyNames, host, port)) return Promise.resolve(host)
  return new Promise((done, fail) => {
    lookUp(host, {}, (error, address) => (error ? fail(error) : done(String(address))))
  })
}

const ANSWER_MS = 10_000

/**
 * Connects to a host by the proxy, which is asked for the address that `lookUp` has found and checked here.
 * Rejects if there is none, and if the proxy refuses.
 */
export async function openTunnel(
  host: string,
  port: number,
  lookUp: LookupFunction = lookUpHost,
): Promise<Socket> {
  const address = await findAddress(host, port, lookUp)
  const target = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`
  const proxy = new URL(settings.httpsProxy!)
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  const asked = request(proxy.origin, {
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...makeProxyCredentials(proxy) },
    agent: false,
    timeout: ANSWER_MS,
  })
  return new Promise((done, fail) => {
    asked.on('connect', ({ statusCode = 0 }, socket, first) => {
      socket.setTimeout(0)
      // a mail server speaks first, perhaps at once
      if (first.length > 0) socket.unshift(first)
      if (statusCode >= 200 && statusCode < 300) return done(socket as Socket)
      socket.destroy()
      fail(new Error(`The proxy answered ${statusCode} when asked for ${host}:${port}`))
    })
    asked.on('timeout', () => asked.destroy(new Error('The proxy did not answer in time')))
    asked.on('error', fail)
    asked.end()
  })
}

function makeProxyCredentials({ username, password }: URL): OutgoingHttpHeaders {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** The agent of all outgoing https requests: it connects directly or by the proxy. */
export class OutgoingAgent extends Agent {
  override createConnection(
    options: Parameters<Agent['createConnection']>[0],
    done?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const { host, port } = options
    if (!usesProxy(String(host), Number(port))) return super.createConnection(options, done)
    openTunnel(String(host), Number(port), options.lookup).then(
      // the name stays in the request: it is checked against the certificate
      (socket) => done!(null, super.createConnection({ ...options, socket } as typeof options)!),
      (error: Error) => done!(error, undefined as never),
    )
    return undefined
  }
}
