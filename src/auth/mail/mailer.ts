import type { Settings } from '../../settings/settings.ts'
import { memoize } from '../../tools/lru.ts'
import type { AuthServices } from '../auth-services.ts'

const CONNECT_MS = 30_000

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly html: string
  /** The mail's id in angle brackets, so that a retried mail keeps its id. */
  readonly messageId?: string
}

export type MailServices = Pick<AuthServices, 'settings' | 'log' | 'config'>

export const messageIdOf = ({ settings: { current } }: MailServices, key: string) =>
  `<${key}@${current.meta.senderAddress.split('@').at(-1)}>`

/** Sends a mail by the settings' SMTP server, or writes it to the log. Throws if the server refuses it. */
export async function sendMail(
  { settings: { current }, log }: Pick<AuthServices, 'settings' | 'log'>,
  mail: Mail,
): Promise<void> {
  const text = plainText(mail.html)
  if (!current.smtp.enabled) {
    log.info({ to: mail.to, subject: mail.subject, text }, 'mail not sent: no SMTP server is configured')
    return
  }
  const { senderName, senderAddress } = current.meta
  const transport = await transportOf(current)
  await transport.sendMail({ ...mail, text, from: { name: senderName, address: senderAddress } })
}

/** The transport of a version of the settings. Loaded for the first mail, as most servers send none. */
const transportOf = memoize(async ({ smtp }: Settings) => {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls,
    name: smtp.localName || 'localhost',
    connectionTimeout: CONNECT_MS,
    ...((smtp.username || smtp.password) && {
      auth: { user: smtp.username, pass: smtp.password },
      authMethod: smtp.authMethod || 'PLAIN',
    }),
  })
})

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', '#34': '"', '#39': "'" }

function plainText(html: string): string {
  return html
    .replace(/<style[\s\S]*?<\/style>/gi, '')
    .replace(/<a\b[^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, '$2: $1')
    .replace(/<br\s*\/?>|<\/p>/gi, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&(amp|lt|gt|#34|#39);/g, (_, name: string) => ENTITIES[name]!)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}
