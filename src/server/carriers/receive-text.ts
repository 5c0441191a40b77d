import { admission } from '../../admission/shared-limits.ts'
import type { CarrierText } from '../../agent/drivers/http/read-call.ts'
import { acceptableText } from '../../agent/server-limits.ts'
import { userHolder } from '../../collections/catalog.ts'
import { FilesFull } from '../../files/storage-limit.ts'
import { textOfMms } from '../../sms/conversations/attachment-lines.ts'
import { keepsAttachments } from '../../sms/conversations/store-attachments.ts'
import { receiveTexts } from '../../sms/conversations/store-received-texts.ts'
import { INCOMING_BODY } from '../../sms/devices/device-body.ts'
import { checkShape } from '../../sms/send/schemas.ts'
import { asDevice, type DeviceOwner, type LinkServices } from './device-link.ts'
import { fetchFiles } from './fetch-files.ts'

/**
 * Stores a carrier's text with its files, which must arrive before `untilMs` (monotonic clock). False if a
 * file cannot be fetched now: the text is stored without files, and the same text adds them later.
 */
export function receiveText(
  services: LinkServices,
  owner: DeviceOwner,
  text: CarrierText,
  at: Date,
  untilMs: number,
): Promise<boolean> {
  const { config } = services
  const { maxAttachments, maxAttachmentBytes: maxBytes, maxAccountFileBytes: maxFileBytes } = config
  const itemOf = (body: string) => {
    const { items } = checkShape(INCOMING_BODY, { items: [acceptableText({ ...text, body }, at)] })
    return items[0]!
  }
  return asDevice(services, owner, async (store, device) => {
    const { files: named = [] } = text
    const holder = userHolder(owner.user)
    const leave = named.length > 0 ? admission.carrierFiles.tryEnter(holder) : undefined
    const memory = admission.memory.open(holder)
    try {
      const files = await fetchFiles(named, {
        allowPrivate: config.webhookAllowPrivate,
        maxFiles: keepsAttachments(store) ? maxAttachments : 0,
        maxBytes,
        untilMs: leave && memory.tryTake(maxBytes) ? untilMs : 0,
      })
      const isWhole = !files.some(({ isLate }) => isLate)
      const take = async (kept: typeof files) => {
        const left = files.filter((file) => !kept.includes(file))
        const attachments = isWhole ? kept.flatMap(({ attachment }) => attachment ?? []) : []
        const item = itemOf(textOfMms([text.body].filter(Boolean), kept, left))
        const stored = { ...item, identity: itemOf(text.body || text.key).body, attachments, maxFileBytes }
        await receiveTexts(store, device, [stored], config.optWords)
      }
      await take(files.filter(({ attachment, isLate }) => attachment || isLate)).catch((error: unknown) => {
        if (!(error instanceof FilesFull)) throw error
        return take([])
      })
      return isWhole
    } finally {
      memory.close()
      leave?.()
    }
  })
}
