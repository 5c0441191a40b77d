import type { Store } from '../../engine/collections/catalog.ts'
import { formatNow } from '../../engine/fields/parse-date.ts'
import { findOwnTextsKey } from '../../gateway/base/permissions.ts'
import type { SendOrigin } from '../../gateway/messages/send/send-options.ts'
import {
  findNumberedText,
  listNumberedTexts,
  type NumberedText,
} from '../../gateway/messages/texts-with-numbers.ts'
import { formatTwilioDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import { cutPage, makeTokenError, placeRows, readPageRequest } from './list-pages.ts'
import { readMessageFilter } from './message-filter.ts'
import { API_VERSION, makeAccountPath, makeSid, parseSid } from './sids.ts'
import { makeNotFoundError } from './twilio-errors.ts'
import { toTwilioState } from './twilio-status.ts'

/** The origin to store with a message from Twilio's API or a TwiML reply. `callback`: a URL, '' for none. */
export const makeTwilioOrigin = (
  api_key: string,
  callback: string,
  data: { readonly service?: boolean; readonly reply?: boolean },
): SendOrigin => ({
  api: 'twilio',
  id: '',
  data: { ...data, ...(callback && { callback: { url: callback, api_key } }) },
})

/** A user's message by its SID. `key`: the API key that must have sent it, '' for any. Throws 404. */
export async function findMessage(
  { db }: Pick<Store, 'db'>,
  user: string,
  sid: string,
  key: string,
): Promise<NumberedText> {
  const id = parseSid('SM', sid)
  const message = id && (await findNumberedText(db, user, id, key))
  if (!message) throw makeNotFoundError()
  return message
}

/** A message that the caller may see, by its SID. Throws 404. */
export const requireMessage = (call: Call, sid: string): Promise<NumberedText> =>
  findMessage(call.store, call.user, sid, findOwnTextsKey(call) ?? '')

export const fetchMessage = async (call: Call) =>
  renderMessage(await requireMessage(call, call.sid), call.user)

export function renderMessage(row: NumberedText, user: string) {
  const isIncoming = row.message_type === 'incoming'
  const { status, errorCode } = toTwilioState(row, formatNow())
  const [sid, account_sid] = [makeSid('SM', row.id), makeSid('AC', user)]
  const path = `${makeAccountPath(user)}/Messages/${sid}`
  return {
    sid,
    account_sid,
    api_version: API_VERSION,
    body: row.body,
    date_created: formatTwilioDate(row.created),
    date_updated: formatTwilioDate(row.updated),
    date_sent: formatTwilioDate(isIncoming ? row.delivered_at : row.sent_at),
    direction: isIncoming ? 'inbound' : row.reply ? 'outbound-reply' : 'outbound-api',
    error_code: errorCode,
    error_message: errorCode === null ? null : row.error_message,
    from: (isIncoming ? row.from : row.own_number) || null,
    to: isIncoming ? row.own_number : row.to,
    messaging_service_sid: row.service ? makeSid('MG', user) : null,
    num_media: String(row.attachments.length),
    num_segments: String(row.segments),
    price: null,
    price_unit: null,
    status,
    subresource_uris: { media: `${path}/Media.json` },
    uri: `${path}.json`,
  }
}

/**
 * A page of the messages that the caller may see, newest first. Throws TwilioRefusal 20001 (filter), 21481
 * (page token).
 */
export async function listMessages(call: Call) {
  const { store, user, parameters } = call
  const request = readPageRequest(parameters, 'SM')
  const choice = { ...(await readMessageFilter(call)), key: findOwnTextsKey(call) ?? '' }
  const found = await listNumberedTexts(store.db, user, choice, placeRows(request))
  if (!found) throw makeTokenError()
  const { rows, page } = cutPage(`${makeAccountPath(user)}/Messages.json`, request, found)
  return { ...page, messages: rows.map((row) => renderMessage(row, user)) }
}
