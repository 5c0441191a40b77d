import { z } from 'zod'
import type { Store } from '../engine/collections/catalog.ts'
import { readNumber, splitSpacedNumbers } from '../gateway/base/read-numbers.ts'
import type { SendingCaller } from '../gateway/messages/require-sender.ts'
import { acceptPart, readPartPlace } from '../gateway/messages/send/long-text-parts.ts'
import { makeRoutes } from '../http/make-routes.ts'
import { invalidRequest } from '../platform/common-refusals.ts'
import { decodeText, splitFormBytes } from '../platform/tools/charsets.ts'
import { isOtherForm } from '../portable/phone/other-phone-forms.ts'
import { isPlainPhone } from '../portable/phone/read-phone.ts'
import { readQueryBytes, splitAtCommas } from './read-parameters.ts'
import { asKeyHolder, type DoorSend, makeKeyAsker, readDoorSend, sendByKey } from './send-by-key.ts'
import {
  ALLOW_KEY_PARAMETER,
  type DoorCall,
  defineSendRoute,
  makeSendOnlyProtocol,
} from './send-only-protocol.ts'

const MINUTE_MS = 60_000

function parseWholeNumber(
  given: Readonly<Record<string, string>>,
  name: string,
): number | undefined {
  if (!given[name]) return undefined
  if (/^\d{1,9}$/.test(given[name])) return Number(given[name])
  throw invalidRequest(`${name[0]!.toUpperCase()}${name.slice(1)} field misformed, rejected`)
}

/** Kannel's recipients, which its documentation separates by spaces. Commas separate them, too. */
async function readKannelRecipients(store: Store, user: string, list: string): Promise<string[]> {
  const parts = splitAtCommas(list)
  if (parts.every(isPlainPhone)) return parts
  return splitSpacedNumbers(store, user, parts)
}

/** Parameters that make a text another one, or a signal. */
const NOT_A_TEXT = ['mwi', 'hex']

type Bytes = ReturnType<typeof splitFormBytes>

const findBytes = (pairs: Bytes, wanted: string): Buffer | undefined =>
  pairs.find(([name]) => name.toString() === wanted)?.[1]

/**
 * The text, by Kannel's `coding` and `charset`. Without a charset it is UTF-8, with coding 2 UTF-16BE.
 * Coding 0 chooses the GSM alphabet, which a text gets here anyway if it can be written in it. `isPart`: it
 * may begin or end within a character of UTF-16.
 */
function readText(
  found: Buffer | undefined,
  { coding = '', charset = '' }: Readonly<Record<string, string>>,
  isPart: boolean,
) {
  // 8-bit coding (1) means binary data
  if (coding === '1') throw invalidRequest('Only texts are sent here, rejected')
  if (!['', '0', '2'].includes(coding)) throw invalidRequest('Coding field misformed, rejected')
  try {
    // WHATWG takes these names for little endian; on the air and in Kannel it is big endian
    const isUcs2 =
      /^(?:iso-10646-)?(?:ucs-?2|utf-?16(?:be)?)$/i.test(charset) ||
      (charset === '' && coding === '2')
    if (!found || !isUcs2) return found && decodeText(found, charset)
    return isPart
      ? decodeUtf16Part(found)
      : decodeText(found, isLittleEndian(found) ? 'utf-16le' : 'utf-16be')
  } catch {
    throw invalidRequest('Charset or body misformed, rejected')
  }
}

/** Whether UTF-16 begins with the byte order mark of little endian. */
const isLittleEndian = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xfe

/** Decodes UTF-16 that may begin or end within a character. Throws for half a code unit. */
function decodeUtf16Part(bytes: Buffer): string {
  if (bytes.length % 2 !== 0) throw new RangeError('half a code unit')
  const units = Buffer.from(bytes)
  return (isLittleEndian(bytes) ? units : units.swap16()).toString('utf16le').replace(/^\ufeff/, '')
}

/** Sends by Kannel's parameters (gw/smsbox.c, smsbox_req_sendsms). Ignores those for the carrier. */
async function answerSendsms(call: DoorCall): Promise<Response> {
  const { c } = call
  const given = c.env.incoming.query
  const { username = given.user ?? '', password = given.pass ?? '', to, from = '' } = given
  const { ip } = c.env.incoming
  const bytes = splitFormBytes(readQueryBytes(c))
  const header = findBytes(bytes, 'udh')
  const isPart = header !== undefined && header.length > 0
  const asker = makeKeyAsker(call.services, { key: password, name: username, ip })
  const read = async ({ store, user }: SendingCaller): Promise<DoorSend> => {
    if (to === undefined) throw invalidRequest('Missing receiver number, rejected')
    if (NOT_A_TEXT.some((name) => given[name]))
      throw invalidRequest('Only texts are sent here, rejected')
    const [minutes, validity] = [
      parseWholeNumber(given, 'deferred'),
      parseWholeNumber(given, 'validity'),
    ]
    return {
      recipients: await readKannelRecipients(store, user, to),
      body: readText(findBytes(bytes, 'text'), given, isPart),
      from: isOtherForm(from) ? from : from ? await readNumber(store, user, from) : undefined,
      priority: parseWholeNumber(given, 'priority'),
      scheduled_at: minutes ? new Date(Date.now() + minutes * MINUTE_MS).toISOString() : undefined,
      ttl: validity ? validity * 60 : undefined,
    }
  }
  if (isPart) await sendPart(call, asker, header, read)
  else await sendByKey(call, read, asker)
  return c.text('0: Accepted for delivery', 202)
}

/** Sends or stores a part of a long text, for each recipient. */
const sendPart = (
  call: DoorCall,
  asker: ReturnType<typeof makeKeyAsker>,
  header: Buffer,
  read: (sender: SendingCaller) => Promise<DoorSend>,
): Promise<void> =>
  asKeyHolder(call.services, asker, async (sender) => {
    const place = readPartPlace(header)
    const { body = '', ...given } = await read(sender)
    // Postgres cannot store NUL. What else a text must not have may be half a character here
    const text = body.replaceAll('\0', '')
    if (text === '') throw invalidRequest('Empty part of a text, rejected')
    // a part may be a blank alone
    const { body: send } = await readDoorSend(call, sender, { ...given, body: '-' })
    for (const recipient of send.recipients)
      await acceptPart(call.services, sender, { ...send, recipients: [recipient] }, text, place)
  })

/** The API of Kannel's smsbox. It answers 403 instead of 401 and 402, so that clients do not retry. */
export const KANNEL = makeSendOnlyProtocol(
  'kannel',
  'Kannel’s interface for programs that send texts.',
  ['/cgi-bin'],
  makeRoutes('kannel', {
    'GET /cgi-bin/sendsms': defineSendRoute(
      ALLOW_KEY_PARAMETER,
      {
        summary: 'Send a text',
        query: [
          'username',
          'password',
          'to',
          'text',
          'coding',
          'charset',
          'from',
          'priority',
          'deferred',
          'validity',
        ],
        answer: [202, 'Accepted.', z.string()],
        error: z.string(),
        isText: true,
      },
      answerSendsms,
    ),
  }),
  (c, { status, message }) => {
    if (status === 401) return c.text('Authorization failed for sendsms', 403)
    return c.text(message, status === 402 ? 403 : (status as 400))
  },
)
