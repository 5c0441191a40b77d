import type { Store } from '../../engine/collections/catalog.ts'
import { findStoredFiles } from '../../engine/files/stored-files.ts'
import { isRefusal } from '../../gateway/base/gateway-errors.ts'
import type { Media } from '../../gateway/base/message-files.ts'
import {
  type AskedMedia,
  loadMedia,
  type MediaConfig,
} from '../../gateway/messages/send/read-media.ts'
import { sendStoredFile } from '../../http/routes/files.ts'
import { deriveId } from '../../platform/tools/random.ts'
import { formatTwilioDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import { describePage, readPageRequest } from './list-pages.ts'
import { requireMessage } from './messages.ts'
import { MEDIA } from './parameters.ts'
import { makeAccountPath, makeSid } from './sids.ts'
import { makeNotFoundError, TwilioRefusal } from './twilio-errors.ts'

/** The SID of a file, from its name, which is unique within a message. */
const makeMediumSid = (name: string) => makeSid('ME', deriveId(name))

export const makeMediaPath = (user: string, message: string, name: string): string =>
  `${makeAccountPath(user)}/Messages/${makeSid('SM', message)}/Media/${makeMediumSid(name)}`

async function readMedia(call: Call, messageSid: string) {
  const { store, user } = call
  const { id, created, updated, attachments } = await requireMessage(call, messageSid)
  const files = await findStoredFiles(
    store.db,
    { collection: 'sms_messages', record: id },
    attachments,
  )
  return files.map((file) => ({
    file,
    medium: {
      sid: makeMediumSid(file.name),
      account_sid: makeSid('AC', user),
      parent_sid: makeSid('SM', id),
      content_type: file.type,
      date_created: formatTwilioDate(created),
      date_updated: formatTwilioDate(updated),
      uri: `${makeMediaPath(user, id, file.name)}.json`,
    },
  }))
}

/** All files of a message on one page. Throws 404 for a message that the caller may not see. */
export async function listMedia(call: Call) {
  const { user, sid, parameters } = call
  const media = await readMedia(call, sid)
  const path = `${makeAccountPath(user)}/Messages/${sid}/Media.json`
  const content = {
    ids: media.map(({ file }) => deriveId(file.name)),
    hasOlder: false,
    hasNewer: false,
  }
  return {
    ...describePage(path, readPageRequest(parameters, 'ME'), content),
    media_list: media.map(({ medium }) => medium),
  }
}

async function findMedium(call: Call) {
  const { c, sid } = call
  const media = await readMedia(call, c.req.param('MessageSid')!)
  const found = media.find(({ medium }) => medium.sid === sid)
  if (!found) throw makeNotFoundError()
  return found
}

/** Describes a file of a message, without its content. Throws 404. */
export const fetchMedium = async (call: Call) => (await findMedium(call)).medium

/** Answers with a file of a message, as `/api/files` does. Throws 404. */
export async function sendMedium(call: Call): Promise<Response> {
  const { file } = await findMedium(call)
  return sendStoredFile(call.c, call.store.db, file)
}

/** Fetches the files of a message. Throws as `loadTwilioMedia`. */
export const fetchMedia = ({ c, store, user, services }: Call, named: readonly string[]) =>
  loadTwilioMedia(store, user, services.config, named, c.env.incoming.memory)

/**
 * Fetches the files of a message at their addresses. Throws TwilioRefusal 21620 for one that cannot be
 * fetched or sent, and GatewayError `mms_not_supported` without a line for MMS.
 */
export async function loadTwilioMedia(
  store: Store,
  user: string,
  config: MediaConfig,
  named: readonly string[],
  memory: AskedMedia['memory'],
): Promise<Media> {
  const asked = { subject: '', named: named.map(requireUrl), memory }
  return loadMedia(store, user, config, asked).catch((error: unknown) => {
    throw isRefusal(error, 'invalid_request')
      ? new TwilioRefusal(21620, (error as Error).message)
      : error
  })
}

function requireUrl(url: string): string {
  if (/^https?:/i.test(url)) return url
  throw new TwilioRefusal(21620, `${MEDIA} must be an http or https address`)
}
