import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server'
import { admission } from '../../admission/admission.ts'
import { guestHolder, networkOf } from '../../admission/holder.ts'
import { connectionPlaces } from '../../admission/places.ts'
import { userHolder } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { answerableFault, DatabaseUnavailable } from '../../db/errors.ts'
import { ApiError, GatewayError, UserError } from '../../errors.ts'
import { callHook } from '../../hooks/call.ts'
import { cutToParts } from '../../hooks/compose.ts'
import { hookAccount } from '../../hooks/hook.ts'
import { ByteCollector } from '../../http/body/raw-body.ts'
import { RequestMemory, type Services, SMALL_BYTES } from '../../http/context.ts'
import { checkRate } from '../../http/middleware/gate.ts'
import { identifyKeyHolder, type KeyCredentials, SENDS } from '../../http/middleware/sender.ts'
import { open } from '../../http/server/connections.ts'
import type { Logger } from '../../log.ts'
import { withPlus } from '../../portable/phone.ts'
import { isRefusal } from '../../sms/send/shape.ts'
import { sendByKey } from '../door.ts'
import { type Mail, readMail } from './mail.ts'

/** An SMTP reply that refuses a command. RFC 5321, 4.2.3 */
const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })
const notNow = () => refusal(451, 'The server cannot store mails now. Try again later.')

/** SMTP codes by HTTP status. Others below 429 become 550, the rest 451, after which senders try again. */
const CODES: Readonly<Record<number, number>> = { 401: 535, 413: 552 }

/** The SMTP reply for a thrown error. Logs unknown errors (bugs) and an unreachable database. */
function refusalOf(thrown: unknown, log: Logger): Error {
  if (thrown instanceof Error && 'responseCode' in thrown) return thrown
  const error = answerableFault(thrown, false)
  if (error instanceof ApiError || error instanceof GatewayError)
    return refusal(CODES[error.status] ?? (error.status < 429 ? 550 : 451), error.message)
  const isAway = error instanceof DatabaseUnavailable
  log.error({ err: isAway ? error.cause : error }, isAway ? 'the database is unreachable' : 'a mail failed')
  return notNow()
}

interface MailSender {
  readonly user: string
  readonly by: KeyCredentials
}

/** What an address names before `@`: a phone number, or else the secret of a hook (incoming webhook). */
function recipientOf(address: string): { readonly number?: string; readonly secret: string } {
  const secret = address.slice(0, address.lastIndexOf('@'))
  return /^(?:\+|00)?[1-9]\d{5,14}$/.test(secret) ? { number: withPlus(secret), secret } : { secret }
}

/** The account of the hook with this secret. Throws 550 for an unknown secret. */
async function accountOfHook({ store }: Services, secret: string): Promise<string> {
  const user = await hookAccount(store.signIn, secret)
  if (user === undefined) throw refusal(550, 'There is no hook with this address')
  return user
}

/** For each recipient of a mail, sends a text to its number or calls its hook. Returns the SMTP reply. */
async function receive(
  services: Services,
  stream: SMTPServerDataStream,
  { envelope, user: sender }: SMTPServerSession,
): Promise<string> {
  const to = envelope.rcptTo.map(({ address }) => recipientOf(address))
  const account = (sender as MailSender | undefined)?.user ?? (await accountOfHook(services, to[0]!.secret))
  const memory = new RequestMemory(userHolder(account))
  try {
    const bytes = await bytesOf(stream, memory)
    const mail = await admission.heavyWork.run(memory.holder, () => readMail(bytes))
    const outcomes = []
    // one by one: if one fails, the sender repeats the mail, and its Message-ID spares those that already got
    // it
    for (const { number, secret } of to)
      outcomes.push(
        number ? await sendTo(services, sender, number, mail) : await post(services, secret, mail),
      )
    return `OK: ${[...new Set(outcomes)].join(', ')}`
  } finally {
    memory.close()
  }
}

/**
 * Reads a mail. Without memory for it, reads to its end before it throws: the sender reads no reply earlier.
 */
async function bytesOf(stream: SMTPServerDataStream, memory: RequestMemory): Promise<Buffer> {
  const room = await memory.roomForBody()
  const body = new ByteCollector()
  let fault: unknown
  for await (const piece of stream as AsyncIterable<Buffer>) {
    if (fault || stream.sizeExceeded) continue
    const size = body.size + piece.length
    if (size > SMALL_BYTES) await room.growTo(size).catch((error: unknown) => (fault = error))
    if (!fault) body.add(piece)
  }
  if (stream.sizeExceeded) throw new ApiError(413, 'A mail may have 2 MiB.')
  if (fault) throw fault
  if (body.size > SMALL_BYTES) await memory.turn(body.size)
  return body.bytes
}

/** Maximum segments of a mail that is sent to a number; the rest is cut off. */
const MAX_PARTS = 10

async function sendTo(services: Services, { by }: MailSender, number: string, { id, fields }: Mail) {
  const body = cutToParts({ text: fields.text, ends: [], rest: 0 }, MAX_PARTS)
  const key = createHash('sha256').update(`${id} ${number}`).digest('base64url')
  const idempotency = id === '' ? null : { key: `mail ${key}`, fingerprint: 'mail' }
  await sendByKey(services, by, () => ({ recipients: [number], body }), idempotency)
  return 'sent'
}

async function post(services: Services, secret: string, { id, fields }: Mail): Promise<string> {
  const { store, config } = services
  const user = await accountOfHook(services, secret)
  const posted = { raw: JSON.stringify(fields), isForm: false, headers: {}, messageId: id }
  const work = () => callHook(store.forUser(user), config, secret, posted)
  const { outcome, error } = await admission.heavyWork.run(userHolder(user), work)
  if (error) throw refusal(550, error.message)
  return outcome
}

/** Enough for a mail with some pictures, which are not sent. Parsing takes at most 150 ms. */
const MAX_MAIL_BYTES = 2 << 20
const MAX_RECIPIENTS = 100
const CLOSE_MS = 2_000

/** Listens on SMTP_PORT. Returns a function that stops it. `available()`: undefined without a database. */
export async function listenForMails(config: Config, log: Logger, available: () => Services | undefined) {
  const services = () => {
    const found = available()
    if (found) return found
    throw notNow()
  }
  const certificate = certificateOf(config)
  const addresses = connectionPlaces(config.maxConnectionsPerAddress || Number.POSITIVE_INFINITY)
  const leaves = new Map<string, () => void>()
  const answer = <T>(done: (error?: Error | null, result?: T) => void, work: () => Promise<T>) =>
    void work().then(
      (result) => done(null, result),
      (error: unknown) => done(refusalOf(error, log)),
    )
  const answerGuest = <T>(address: string, done: Parameters<typeof answer<T>>[0], work: () => Promise<T>) =>
    answer(done, () => admission.requests.run(guestHolder(address), work))
  const server = new SMTPServer({
    ...(certificate?.read() ?? { disabledCommands: ['STARTTLS'] }),
    ...{ logger: false, disableReverseLookup: true, authOptional: true, hideENHANCEDSTATUSCODES: false },
    ...{ size: MAX_MAIL_BYTES, maxRecipients: MAX_RECIPIENTS, maxClients: config.maxConnections },
    closeTimeout: CLOSE_MS,
    onConnect: ({ id, remoteAddress }, done) =>
      answer(done, async () => {
        if (certificate?.isNew()) server.updateSecureContext(certificate.read())
        const leave = addresses.tryEnter(networkOf(remoteAddress))
        if (!leave) throw refusal(421, 'Too many connections from this address')
        leaves.set(id, leave)
      }),
    onClose: ({ id }) => {
      leaves.get(id)?.()
      leaves.delete(id)
    },
    onAuth: ({ username, password }, { remoteAddress }, done) =>
      answerGuest(remoteAddress, done, async () => {
        const by = { key: password ?? '', name: username ?? '', ip: remoteAddress }
        const { auth } = await identifyKeyHolder(services(), by, SENDS, true).catch((error: unknown) => {
          checkRate(services(), null, remoteAddress, 'POST', '/api/sms/send')
          if (!isRefusal(error, 'unauthorized')) throw error
          const how = 'The user name must be your email address, and the password an API key of yours'
          throw refusal(535, how)
        })
        return { user: { user: auth.id, by } satisfies MailSender }
      }),
    onRcptTo: ({ address }, session, done) =>
      answerGuest(session.remoteAddress, done, async () => {
        const { number, secret } = recipientOf(address)
        const path = number ? '/api/sms/send' : '/api/hooks'
        checkRate(services(), null, session.remoteAddress, 'POST', path)
        if (!number) await accountOfHook(services(), secret)
        else if (!session.user) throw refusal(530, 'Sign in with an API key to send to a number')
      }),
    onData: (stream, session, done) => answer(done, async () => receive(services(), stream, session)),
  } satisfies SMTPServerOptions)
  server.on('error', (err) => log.debug({ err }, 'an SMTP connection failed'))
  await open(server.server, { host: config.host, port: config.smtpPort }, 'SMTP_PORT')
  return () => new Promise<void>((resolve) => server.close(resolve))
}

/**
 * The STARTTLS certificate, if set. Its `isNew()` is true once the file has changed. Throws a UserError if
 * the certificate cannot be read.
 */
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
