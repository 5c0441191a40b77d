import { userHolder } from '../../engine/collections/collection.ts'
import { FilesFull } from '../../engine/files/storage-limit.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { textOfMms } from '../../portable/attachment-lines.ts'
import type { CarrierText } from '../../programs/agent/drivers/http/read-call.ts'
import { acceptableText } from '../../programs/agent/server-limits.ts'
import { checkShape } from '../base/schemas.ts'
import { keepsAttachments } from '../conversations/store-attachments.ts'
import { receivedId, receiveTexts } from '../conversations/store-received-texts.ts'
import { INCOMING_BODY } from '../lines/device-body.ts'
import { asDevice, type DeviceOwner, type LinkServices } from './device-link.ts'
import { fetchFiles } from './fetch-files.ts'

/** From this age of a text on, a file that cannot be fetched is left out: few carriers repeat later calls. */
const LAST_TRY_MS = 4 * 60_000

/**
 * Stores a carrier's text with its files, which must arrive before `untilMs` (monotonic clock). False if a
 * file cannot be fetched now and the carrier `repeats` the call: the text is stored without files, and the
 * same text adds them later.
 */
export function receiveText(
  services: LinkServices,
  owner: DeviceOwner,
  text: CarrierText,
  at: Date,
  { untilMs, repeats }: { readonly untilMs: number; readonly repeats: boolean },
): Promise<boolean> {
  const { config } = services
  const { maxAttachments, maxAttachmentBytes: maxBytes, maxAccountFileBytes: maxFileBytes } = config
  const itemOf = (body: string) => {
    const { items } = checkShape(INCOMING_BODY, { items: [acceptableText({ ...text, body }, at)] })
    return items[0]!
  }
  const identity = itemOf(text.body || text.key).body
  return asDevice(services, owner, async (store, device) => {
    const { files: named = [] } = text
    if (named.length > 0 && (await hasFiles(store.db, receivedId(device, { ...itemOf(''), identity }))))
      return true
    const memory = admission.memory.open(userHolder(owner.user))
    try {
      const files = await fetchFiles(named, {
        allowPrivate: config.webhookAllowPrivate,
        maxFiles: keepsAttachments(store) ? maxAttachments : 0,
        maxBytes,
        untilMs: named.length === 0 || memory.tryTake(maxBytes) ? untilMs : 0,
      })
      const isLastTry = !repeats || Date.now() - at.getTime() > LAST_TRY_MS
      const isWhole = isLastTry || !files.some(({ isLate }) => isLate)
      const take = async (kept: typeof files) => {
        const left = files.filter((file) => !kept.includes(file))
        const attachments = isWhole ? kept.flatMap(({ attachment }) => attachment ?? []) : []
        const item = itemOf(textOfMms([text.body].filter(Boolean), kept, left))
        await receiveTexts(store, device, [{ ...item, identity, attachments, maxFileBytes }], config.optWords)
      }
      await take(files.filter(({ attachment, isLate }) => attachment || (isLate && !isWhole))).catch(
        (error: unknown) => {
          if (!(error instanceof FilesFull)) throw error
          return take([])
        },
      )
      return isWhole
    } finally {
      memory.close()
    }
  })
}

/** Whether a message is stored with files. */
async function hasFiles(db: Db, id: string): Promise<boolean> {
  const stored = await queries(db)
    .selectFrom('sms_messages')
    .select('attachments')
    .where('id', '=', id)
    .executeTakeFirst()
  return (stored?.attachments.length ?? 0) > 0
}
