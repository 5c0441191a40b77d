import { z } from 'zod'
import type { Store } from '../engine/collections/catalog.ts'
import { readAccountCountry, readNumber } from '../gateway/base/read-numbers.ts'
import { makeRoutes } from '../http/make-routes.ts'
import { readRequestQuery } from '../http/query.ts'
import type { Ctx } from '../http/request-context.ts'
import { invalidRequest } from '../platform/common-refusals.ts'
import { decodeText, splitFormBytes } from '../platform/tools/charsets.ts'
import { isOtherForm } from '../portable/phone/other-phone-forms.ts'
import { splitAtSpaces } from '../portable/phone/split-spaced-list.ts'
import { readQueryBytes, splitAtCommas } from './read-parameters.ts'
import { type DoorSend, type DoorSender, sendByKey, WORLD } from './send-by-key.ts'
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
  const country = await readAccountCountry(store, user)
  return splitAtCommas(list).flatMap((part) => splitAtSpaces(part, country, WORLD))
}

/** Parameters that make a text another one, or a signal. */
const NOT_A_TEXT = ['udh', 'mwi', 'hex']

/**
 * The text, by Kannel's `coding` and `charset`. Without a charset it is UTF-8, with coding 2 UTF-16BE.
 * Coding 0 chooses the GSM alphabet, which a text gets here anyway if it can be written in it.
 */
function readText(c: Ctx, { coding = '', charset = '' }: Readonly<Record<string, string>>) {
  // 8-bit coding (1) means binary data
  if (coding === '1') throw invalidRequest('Only texts are sent here, rejected')
  if (!['', '0', '2'].includes(coding)) throw invalidRequest('Coding field misformed, rejected')
  const found = splitFormBytes(readQueryBytes(c)).find(([name]) => name.toString() === 'text')
  try {
    // WHATWG takes these names for little endian; on the air and in Kannel it is big endian
    const isUcs2 =
      /^(?:iso-10646-)?(?:ucs-?2|utf-?16)$/i.test(charset) || (charset === '' && coding === '2')
    return found && decodeText(found[1], isUcs2 ? 'utf-16be' : charset)
  } catch {
    throw invalidRequest('Charset or body misformed, rejected')
  }
}

/** Sends by Kannel's parameters (gw/smsbox.c, smsbox_req_sendsms). Ignores those for the carrier. */
async function answerSendsms(call: DoorCall): Promise<Response> {
  const { c } = call
  const given = readRequestQuery(c)
  const { username = given.user ?? '', password = given.pass ?? '', to, from = '' } = given
  const shown = { key: password, name: username }
  const read = async ({ store, user }: DoorSender): Promise<DoorSend> => {
    if (to === undefined) throw invalidRequest('Missing receiver number, rejected')
    if (NOT_A_TEXT.some((name) => given[name]))
      throw invalidRequest('Only texts are sent here, rejected')
    const [minutes, validity] = [
      parseWholeNumber(given, 'deferred'),
      parseWholeNumber(given, 'validity'),
    ]
    return {
      recipients: await readKannelRecipients(store, user, to),
      body: readText(c, given),
      from: isOtherForm(from)
        ? from
        : from
          ? await readNumber(store, user, from, WORLD)
          : undefined,
      priority: parseWholeNumber(given, 'priority'),
      scheduled_at: minutes ? new Date(Date.now() + minutes * MINUTE_MS).toISOString() : undefined,
      ttl: validity ? validity * 60 : undefined,
    }
  }
  await sendByKey(call, read, shown)
  return c.text('0: Accepted for delivery', 202)
}

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
