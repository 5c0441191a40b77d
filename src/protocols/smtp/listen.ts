import { readFileSync, statSync } from 'node:fs'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { admission } from '../../admission/admission.ts'
import { guestHolder, networkOf } from '../../admission/holder.ts'
import { connectionPlaces } from '../../admission/shares.ts'
import type { Config } from '../../config.ts'
import { UserError } from '../../errors.ts'
import type { Services } from '../../http/context.ts'
import { checkRate } from '../../http/middleware/gate.ts'
import { identifyKeyHolder, SENDS } from '../../http/middleware/sender.ts'
import { open } from '../../http/server/listen.ts'
import type { Logger } from '../../log.ts'
import { isRefusal } from '../../sms/send/shape.ts'
import { accountOfHook, type MailSender, receive, recipientOf } from './receive.ts'
import { refusalOf, SmtpRefusal } from './refusal.ts'

/** Enough for a mail with some pictures, which are left out. Parsing takes at most 150 ms. */
const MAX_MAIL_BYTES = 2 << 20
const MAX_RECIPIENTS = 100
const CLOSE_MS = 2_000

/** Opens SMTP_PORT. Returns how to close it. `available`: undefined while the server uses no database. */
export async function listenForMails(config: Config, log: Logger, available: () => Services | undefined) {
  const services = () => {
    const found = available()
    if (found) return found
    throw new SmtpRefusal(451, 'The server cannot store mails now. Try again later.')
  }
  const certificate = certificateOf(config)
  const addresses = connectionPlaces(config.maxConnectionsPerAddress || Number.POSITIVE_INFINITY)
  const leaves = new Map<string, () => void>()
  const answer = <T>(done: (error?: Error | null, result?: T) => void, work: () => Promise<T>) =>
    void work().then(
      (result) => done(null, result),
      (error: unknown) => done(refusalOf(error, log)),
    )
  const server = new SMTPServer({
    ...(certificate?.read() ?? { disabledCommands: ['STARTTLS'] }),
    ...{ logger: false, disableReverseLookup: true, authOptional: true, hideENHANCEDSTATUSCODES: false },
    ...{ size: MAX_MAIL_BYTES, maxRecipients: MAX_RECIPIENTS, maxClients: config.maxConnections },
    closeTimeout: CLOSE_MS,
    onConnect: ({ id, remoteAddress }, done) =>
      answer(done, async () => {
        if (certificate?.isNew()) server.updateSecureContext(certificate.read())
        const leave = addresses.tryEnter(networkOf(remoteAddress))
        if (!leave) throw new SmtpRefusal(421, 'Too many connections from this address')
        leaves.set(id, leave)
      }),
    onClose: ({ id }) => {
      leaves.get(id)?.()
      leaves.delete(id)
    },
    onAuth: ({ username, password }, { remoteAddress }, done) =>
      answer(done, () =>
        admission.requests.run(guestHolder(remoteAddress), async () => {
          const by = { key: password ?? '', name: username ?? '', ip: remoteAddress }
          const { auth } = await identifyKeyHolder(services(), by, SENDS, true).catch((error: unknown) => {
            checkRate(services(), null, remoteAddress, 'POST', '/api/sms/send')
            return refuseKey(error)
          })
          return { user: { user: auth.id, by } satisfies MailSender }
        }),
      ),
    onRcptTo: ({ address }, session, done) =>
      answer(done, () =>
        admission.requests.run(guestHolder(session.remoteAddress), async () => {
          const { number, secret } = recipientOf(address)
          const path = number ? '/api/sms/send' : '/api/hooks'
          checkRate(services(), null, session.remoteAddress, 'POST', path)
          if (!number) await accountOfHook(services(), secret)
          else if (!session.user) throw new SmtpRefusal(530, 'Sign in with an API key to send to a number')
        }),
      ),
    onData: (stream, session, done) => answer(done, async () => receive(services(), stream, session)),
  } satisfies SMTPServerOptions)
  server.on('error', (err) => log.debug({ err }, 'an SMTP connection failed'))
  await open(server.server, { host: config.host, port: config.smtpPort }, 'SMTP_PORT')
  return () => new Promise<void>((resolve) => server.close(resolve))
}

function refuseKey(error: unknown): never {
  if (!isRefusal(error, 'unauthorized')) throw error
  throw new SmtpRefusal(535, 'The user name must be your email address, and the password an API key of yours')
}

/** The certificate for STARTTLS. `isNew`: its file has changed since the last read. Throws a UserError. */
function certificateOf({ smtpTlsCert: certFile, smtpTlsKey: keyFile }: Config) {
  if (certFile === undefined || keyFile === undefined) return undefined
  let readAt = 0
  const certificate = {
    isNew: () => statSync(certFile, { throwIfNoEntry: false })?.mtimeMs !== readAt,
    read() {
      readAt = statSync(certFile).mtimeMs
      return { cert: readFileSync(certFile), key: readFileSync(keyFile) }
    },
  }
  try {
    certificate.read()
  } catch (error) {
    throw new UserError(`SMTP_TLS_CERT or SMTP_TLS_KEY cannot be read: ${(error as Error).message}`)
  }
  return certificate
}
