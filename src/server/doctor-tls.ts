import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { type Config, isLoopback } from '../config.ts'
import { within } from '../tools/deadline.ts'
import { type Finding, PATIENCE_MS, reasonOf } from './doctor-finding.ts'

const LEAST_DAYS = 7

/** Looks at the certificate of PUBLIC_URL. */
export async function checkTls({ publicUrl }: Config): Promise<Finding> {
  const { protocol, hostname, port: number } = new URL(publicUrl)
  if (protocol !== 'https:') {
    const isLocal = isLoopback(publicUrl) || /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname)
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
    await within(opened, PATIENCE_MS)
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / 86_400_000)
    const found = `the certificate of ${hostname} ends in ${days} days`
    return days < LEAST_DAYS ? { found, advice: 'Look why your proxy does not renew it.' } : { found }
  } catch (error) {
    const found = `no valid certificate at ${hostname} (${reasonOf(error)})`
    return { found, advice: 'Let the proxy get one for this name; phones refuse all others.' }
  } finally {
    socket.destroy()
  }
}
