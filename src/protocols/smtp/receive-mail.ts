import { createHash } from 'node:crypto'
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { readRecipients } from '../../gateway/base/read-numbers.ts'
import { cutToParts } from '../../gateway/hooks/cut-text-to-parts.ts'
import { handleHookCall } from '../../gateway/hooks/handle-hook-call.ts'
import { makeServerKey } from '../../gateway/messages/send/idempotency.ts'
import { readSend } from '../../gateway/messages/send/read-send.ts'
import { nameFiles } from '../../gateway/messages/send/same-send.ts'
import { SEND } from '../../gateway/messages/send/send-body-schema.ts'
import { sendManyTexts } from '../../gateway/messages/send/send-many-texts.ts'
import { loadPictures } from '../../gateway/messages/send/send-with-pictures.ts'
import { ByteCollector } from '../../http/body/raw-body.ts'
import { openUserMemory, type RequestMemory, SMALL_BYTES } from '../../http/limit-request-memory.ts'
import { ApiError } from '../../platform/api-errors.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { asKeyHolder, makeKeyAsker } from '../send-by-key.ts'
import type { ReceivedMail } from './read-mail.ts'
import { readMailApart } from './read-mail-in-thread.ts'
import { findMailSender, parseRecipients, type SignedInSender } from './recipient.ts'
import { makeSmtpReply } from './smtp-reply.ts'
import { requireHookOwner } from './validate-recipient.ts'

/** Enough for a mail with some pictures. */
export const MAX_MAIL_BYTES = 2 << 20

/**
 * Sends texts to the numbers of a mail and calls its hooks, each once. If one is refused, nothing is sent.
 * Returns the SMTP reply.
 */
export async function receiveMail(
  services: GatewayServices,
  stream: SMTPServerDataStream,
  { envelope, user, remoteAddress }: SMTPServerSession,
): Promise<string> {
  const { numbers, secrets } = parseRecipients(envelope.rcptTo.map(({ address }) => address))
  const sender = findMailSender(user)
  const account = sender?.user ?? (await requireHookOwner(services, secrets[0]!, remoteAddress))
  const memory = openUserMemory(account)
  try {
    const bytes = await readMailBytes(stream, memory)
    const mail = await admission.heavyWork.run(memory.holder, () => readMailApart(bytes))
    const toNumbers = async (isTrial: boolean) =>
      sendMailText(services, sender!, numbers, mail, memory, isTrial)
    const toHook = (secret: string) => async (isTrial: boolean) =>
      postToHook(services, secret, remoteAddress, mail, memory, isTrial)
    const sends = [...(numbers.length > 0 ? [toNumbers] : []), ...secrets.map(toHook)]
    // a refusal after others were sent would make the sender send those again
    if (sends.length > 1) for (const send of sends) await send(true)
    const outcomes: string[] = []
    for (const send of sends) outcomes.push(await send(false))
    return `OK: ${[...new Set(outcomes)].join(', ')}`
  } finally {
    memory.close()
  }
}

/**
 * Reads a mail. Without memory for it, reads to its end before it throws: the sender reads no reply earlier.
 */
async function readMailBytes(stream: SMTPServerDataStream, memory: RequestMemory): Promise<Buffer> {
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

/**
 * Sends a mail to numbers, all or none. A number that got this Message-ID with this text and these pictures
 * is left out.
 */
async function sendMailText(
  services: GatewayServices,
  { user, by }: SignedInSender,
  numbers: readonly string[],
  { id, fields, pictures: given, mention }: ReceivedMail,
  memory: RequestMemory,
  isTrial: boolean,
) {
  const { store, config } = services
  const pictures =
    given.length > 0 && !isTrial
      ? await loadPictures(store.forUser(user), user, config, { given, memory }, mention)
      : undefined
  const whole = pictures && { ...pictures, maxParts: MAX_PARTS }
  const text = cutToParts({ text: fields.text, ends: [], rest: 0 }, MAX_PARTS)
  const content = `${fields.text}${nameFiles(given)}`
  const requestTo = (number: string) => {
    const key = createHash('sha256').update(`${id} ${number} ${content}`).digest('base64url')
    const idempotency =
      id === '' ? null : { key: makeServerKey(`mail ${key}`), fingerprint: 'mail' }
    return { body: readSend(SEND, { recipients: [number], body: text }, new Date()), idempotency }
  }
  const fault = await asKeyHolder(services, makeKeyAsker(services, by), async (sender) => {
    const read = await readRecipients(sender.store, sender.user, numbers, numbers.length)
    const sending = { ...services.sending, store: sender.store }
    return sendManyTexts(sending, sender, read.map(requestTo), isTrial, whole)
  })
  return fault === '' ? 'sent' : 'sent without a picture'
}

async function postToHook(
  services: GatewayServices,
  secret: string,
  ip: string,
  { id, fields, pictures: files, mention }: ReceivedMail,
  memory: RequestMemory,
  isTrial: boolean,
) {
  const { store, config } = services
  const user = await requireHookOwner(services, secret, ip)
  const posted = { raw: JSON.stringify(fields), headers: {}, messageId: id, memory, files, mention }
  const { outcome, error } = await handleHookCall(
    store.forUser(user),
    config,
    user,
    secret,
    posted,
    isTrial,
  )
  if (error) throw makeSmtpReply(550, error.message)
  return outcome
}
