import { createHash } from 'node:crypto'
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { admission } from '../../admission/admission.ts'
import { userHolder } from '../../collections/catalog.ts'
import { ApiError } from '../../errors.ts'
import { callHook } from '../../hooks/call.ts'
import { cutToParts } from '../../hooks/compose.ts'
import { hookAccount } from '../../hooks/hook.ts'
import { ByteCollector } from '../../http/body/raw-body.ts'
import type { Services } from '../../http/context.ts'
import type { KeyCredentials } from '../../http/middleware/sender.ts'
import { RequestMemory, SMALL_BYTES } from '../../http/request-memory.ts'
import { withPlus } from '../../portable/phone.ts'
import { sendByKey } from '../door.ts'
import { type Mail, readMail } from './mail.ts'
import { SmtpRefusal } from './refusal.ts'

export interface MailSender {
  readonly user: string
  readonly by: KeyCredentials
}

/** The recipient of an address: a number, or else the secret of a hook. The host does not matter. */
export function recipientOf(address: string): { readonly number?: string; readonly secret: string } {
  const secret = address.slice(0, address.lastIndexOf('@'))
  return /^(?:\+|00)?[1-9]\d{5,14}$/.test(secret) ? { number: withPlus(secret), secret } : { secret }
}

/** The account of a hook. Throws 550 for an unknown secret. */
export async function accountOfHook({ store }: Services, secret: string): Promise<string> {
  const user = await hookAccount(store.signIn, secret)
  if (user === undefined) throw new SmtpRefusal(550, 'There is no hook with this address')
  return user
}

/** Sends a mail to the number of each recipient, or calls the recipient's hook. Returns the SMTP reply. */
export async function receive(
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
    // one after the other: a repeated mail goes on where the first one failed
    for (const { number, secret } of to)
      outcomes.push(
        number ? await sendTo(services, sender, number, mail) : await post(services, secret, mail),
      )
    return `OK: ${[...new Set(outcomes)].join(', ')}`
  } finally {
    memory.close()
  }
}

/** Reads a mail to its end even if there is no room for it: the sender reads no reply before. */
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
  if (error) throw new SmtpRefusal(550, error.message)
  return outcome
}
