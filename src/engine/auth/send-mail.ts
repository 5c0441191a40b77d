import type { Socket } from 'node:net'
import { openTunnel, usesProxy } from '../../platform/outgoing/proxy.ts'
import { memoize } from '../../platform/tools/lru.ts'
import type { Settings } from '../settings/settings-shape.ts'
import type { AuthServices } from './auth-services.ts'
import { UNESCAPED } from './mail-html.ts'

const CONNECT_MS = 30_000

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly html: string
  /** The Message-ID in angle brackets. A mail that is sent again keeps it. */
  readonly messageId?: string
}

export type MailServices = Pick<AuthServices, 'settings' | 'log' | 'config'>

export const makeMessageId = ({ settings: { current } }: MailServices, key: string) =>
  `<${key}@${current.meta.senderAddress.split('@').at(-1)}>`

/** Sends a mail by the SMTP server of the settings; without one, logs it. Throws if the server refuses it. */
export async function sendMail(
  { settings: { current }, log }: Pick<MailServices, 'settings' | 'log'>,
  mail: Mail,
): Promise<void> {
  const text = renderPlainText(mail.html)
  if (!current.smtp.enabled) {
    log.info(
      { to: mail.to, subject: mail.subject, text },
      'mail not sent: no SMTP server is configured',
    )
    return
  }
  const { senderName, senderAddress } = current.meta
  const transport = await transportOf(current)
  await transport.sendMail({ ...mail, text, from: { name: senderName, address: senderAddress } })
}

type GiveSocket = (error: Error | null, found?: { connection: Socket }) => void

/** Connects to a mail server by the proxy, as nodemailer asks for it. */
const connectByProxy =
  ({ host, port }: Settings['smtp']) =>
  (_: unknown, give: GiveSocket) => {
    openTunnel(host, port).then((connection) => give(null, { connection }), give)
  }

/** The SMTP transport for these settings. Loads nodemailer at the first mail: most servers send none. */
const transportOf = memoize(async ({ smtp }: Settings) => {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls,
    name: smtp.localName || 'localhost',
    connectionTimeout: CONNECT_MS,
    ...(usesProxy(smtp.host, smtp.port) && { getSocket: connectByProxy(smtp) }),
    ...((smtp.username || smtp.password) && {
      auth: { user: smtp.username, pass: smtp.password },
      authMethod: smtp.authMethod || 'PLAIN',
    }),
  })
})

function renderPlainText(html: string) {
  return html
    .replace(/<style[\s\S]*?<\/style>/gi, '')
    .replace(/<a\b[^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, '$2: $1')
    .replace(/<br\s*\/?>|<\/p>/gi, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&(?:amp|lt|gt|#34|#39);/g, (found) => UNESCAPED.get(found)!)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}
