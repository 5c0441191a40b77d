import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { type Config, isLoopback } from '../platform/config.ts'
import { limitTime } from '../platform/tools/deadline.ts'

/** How long a check waits for an answer. */
export const PATIENCE_MS = 5_000

/** The result of a check. Only faults have `advice`. */
export interface Finding {
  readonly found: string
  readonly advice?: string
}
export type DoctorCheck = (config: Config) => Promise<Finding>

/** The words of an error, of its cause if it has one. */
export const readErrorCause = (error: unknown) => {
  const { cause, message } = error as { cause?: { message?: string }; message: string }
  return cause?.message || message
}

/** The server that answers at an address, and the time of its clock. */
export const fetchHealth = async (url: string) => {
  const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })
  const { message } = (await response.json()) as { message?: string }
  return {
    isOurs: message === 'API is healthy.',
    date: Date.parse(response.headers.get('date') ?? ''),
  }
}

/** The setting to change where only this computer reaches the server. In a container HOST is set already. */
export const advisePhoneAccess = ({ host }: Config): string =>
  host === '0.0.0.0' || host === '::'
    ? 'Set PUBLIC_URL to an address of this server that phones reach (docs/deploy.md).'
    : 'Set HOST=0.0.0.0 for phones in your network, or PUBLIC_URL=https://… behind a proxy.'

/** Looks whether phones reach PUBLIC_URL. */
export async function checkPhoneAccess(config: Config): Promise<Finding> {
  const { publicUrl, urls } = config
  const advice = advisePhoneAccess(config)
  if (isLoopback(publicUrl)) return { found: `only this computer reaches ${publicUrl}`, advice }
  try {
    const { isOurs } = await fetchHealth(publicUrl)
    if (isOurs) return { found: `${urls.join(', ')} leads to a pocketsms` }
    return {
      found: `something else answers at ${publicUrl}`,
      advice: 'Correct PUBLIC_URL, or the proxy.',
    }
  } catch (error) {
    const found = `${publicUrl} does not answer (${readErrorCause(error)})`
    return { found, advice: 'Start the server; then look at the name, the firewall and the proxy.' }
  }
}

const LEAST_DAYS = 7

/** Looks at the certificate of PUBLIC_URL. */
export async function checkTls({ publicUrl }: Config): Promise<Finding> {
  const { protocol, hostname, port: number } = new URL(publicUrl)
  if (protocol !== 'https:') {
    const isLocal =
      isLoopback(publicUrl) || /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname)
    const found = 'none: texts and passwords cross the network readable'
    if (isLocal) return { found: 'none, within your network' }
    return { found, advice: 'Put a proxy in front, and set PUBLIC_URL=https://… (docs/deploy.md).' }
  }
  const servername = isIP(hostname) ? '' : hostname
  const socket: TLSSocket = connect({ host: hostname, port: Number(number || 443), servername })
  const opened = new Promise<void>((resolve, reject) =>
    socket.once('secureConnect', resolve).once('error', reject),
  )
  try {
    await limitTime(opened, PATIENCE_MS)
    const days = Math.floor(
      (Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / 86_400_000,
    )
    const found = `the certificate of ${hostname} ends in ${days} days`
    return days < LEAST_DAYS
      ? { found, advice: 'Look why your proxy does not renew it.' }
      : { found }
  } catch (error) {
    const found = `no valid certificate at ${hostname} (${readErrorCause(error)})`
    return { found, advice: 'Let the proxy get one for this name; phones refuse all others.' }
  } finally {
    socket.destroy()
  }
}
