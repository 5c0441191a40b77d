import { readFileSync, statSync } from 'node:fs'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { isRefusal } from '../../gateway/base/gateway-errors.ts'
import { checkRate } from '../../http/middleware/limit-requests.ts'
import { openServer } from '../../http/server/listen-on-port.ts'
import { ApiError, GatewayError, UserError } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import { DatabaseUnavailable, toAnswerableError } from '../../platform/db/database-errors.ts'
import { makeGuestHolder, toNetwork } from '../../platform/limits/limit-holder.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { makeConnectionPlaces } from '../../platform/limits/waiting-places.ts'
import type { Logger } from '../../platform/log.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { asKeyHolder, makeKeyAsker } from '../send-by-key.ts'
import { MAX_MAIL_BYTES, receiveMail } from './receive-mail.ts'
import { findMailSender, parseRecipient, type SignedInSender } from './recipient.ts'
import { makeSmtpReply } from './smtp-reply.ts'
import { validateRecipient } from './validate-recipient.ts'

const makeNotNowReply = () =>
  makeSmtpReply(451, 'The server cannot store mails now. Try again later.')

/** SMTP codes by HTTP status. Others below 429 become 550, the rest 451, after which senders try again. */
const CODES: Readonly<Record<number, number>> = { 401: 535, 413: 552 }

/** The SMTP reply for a thrown error. Logs unknown errors (bugs) and an unreachable database. */
function makeSmtpRefusal(thrown: unknown, log: Logger): Error {
  if (thrown instanceof Error && 'responseCode' in thrown) return thrown
  const error = toAnswerableError(thrown, 'change')
  if (error instanceof ApiError || error instanceof GatewayError)
    return makeSmtpReply(CODES[error.status] ?? (error.status < 429 ? 550 : 451), error.message)
  const isAway = error instanceof DatabaseUnavailable
  log.error(
    { err: isAway ? error.cause : error },
    isAway ? 'the database is unreachable' : 'a mail failed',
  )
  return makeNotNowReply()
}

const MAX_RECIPIENTS = 100
const CLOSE_MS = 2_000

/** Listens on SMTP_PORT. Returns a function that stops it. `available()`: undefined without a database. */
export async function listenForMails(
  config: Config,
  log: Logger,
  available: () => GatewayServices | undefined,
) {
  const services = () => {
    const found = available()
    if (found) return found
    throw makeNotNowReply()
  }
  const certificate = watchCertificate(config)
  const addresses = makeConnectionPlaces(
    config.maxConnectionsPerAddress || Number.POSITIVE_INFINITY,
  )
  const leaves = new Map<string, () => void>()
  const answer = <T>(done: (error?: Error | null, result?: T) => void, work: () => Promise<T>) =>
    void work().then(
      (result) => done(null, result),
      (error: unknown) => done(makeSmtpRefusal(error, log)),
    )
  /** Takes a place of the account that has signed in, else of the network. */
  const answerInPlace = <T>(
    { remoteAddress, user }: Pick<SMTPServerSession, 'remoteAddress' | 'user'>,
    done: Parameters<typeof answer<T>>[0],
    work: () => Promise<T>,
  ) => {
    const holder = findMailSender(user)?.auth.holder ?? makeGuestHolder(remoteAddress)
    return answer(done, () => admission.requests.run(holder, work))
  }
  const server = new SMTPServer({
    ...(certificate?.read() ?? { disabledCommands: ['STARTTLS'] }),
    logger: false,
    disableReverseLookup: true,
    authOptional: true,
    hideENHANCEDSTATUSCODES: false,
    size: MAX_MAIL_BYTES,
    maxRecipients: MAX_RECIPIENTS,
    maxClients: config.maxConnections,
    closeTimeout: CLOSE_MS,
    onConnect: ({ id, remoteAddress }, done) =>
      answer(done, async () => {
        if (certificate?.isNew()) server.updateSecureContext(certificate.read())
        const leave = addresses.tryEnter(toNetwork(remoteAddress))
        if (!leave) throw makeSmtpReply(421, 'Too many connections from this address')
        leaves.set(id, leave)
      }),
    onClose: ({ id }) => {
      leaves.get(id)?.()
      leaves.delete(id)
    },
    onAuth: ({ username, password }, session, done) =>
      answerInPlace(session, done, async () => {
        const { remoteAddress } = session
        const by = { key: password ?? '', name: username ?? '', ip: remoteAddress }
        const asker = makeKeyAsker(services(), by)
        const signIn = asKeyHolder(services(), asker, async (sender) => sender)
        const { auth } = await signIn.catch((error: unknown) => {
          checkRate(services(), null, remoteAddress, 'POST', '/api/sms/send')
          if (!isRefusal(error, 'unauthorized')) throw error
          const how =
            'The user name must be your email address, and the password an API key of yours'
          throw makeSmtpReply(535, how)
        })
        return { user: { user: auth.id, auth, by } satisfies SignedInSender }
      }),
    onRcptTo: ({ address }, session, done) =>
      answerInPlace(session, done, async () => {
        const recipient = parseRecipient(address)
        const path = recipient.number ? '/api/sms/send' : '/api/hooks'
        const sender = findMailSender(session.user)
        checkRate(services(), sender?.auth ?? null, session.remoteAddress, 'POST', path)
        await validateRecipient(services(), sender, session.remoteAddress, recipient)
      }),
    onData: (stream, session, done) =>
      answer(done, async () => receiveMail(services(), stream, session)),
  } satisfies SMTPServerOptions)
  server.on('error', (err) => log.debug({ err }, 'an SMTP connection failed'))
  await openServer(server.server, { host: config.host, port: config.smtpPort }, 'SMTP_PORT')
  return () => new Promise<void>((resolve) => server.close(resolve))
}

/**
 * The STARTTLS certificate, if set. Its `isNew()` is true once the file has changed. Throws a UserError if
 * the certificate cannot be read.
 */
function watchCertificate({ smtpTlsCert: certFile, smtpTlsKey: keyFile }: Config) {
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
