import { findUrlFault } from '../../../../platform/outgoing/refuse-private-addresses.ts'
import type { OutgoingFile, OutgoingText } from '../../driver-interface.ts'
import type { Carrier } from './carrier-account.ts'
import type { MmsForm } from './preset.ts'

/** The first form of a carrier's MMS that takes these files, or why none does. */
export function chooseMmsForm(
  { interface: { mms } }: Carrier,
  files: readonly OutgoingFile[],
): MmsForm | string {
  if (mms.length === 0) return 'This line cannot send MMS'
  const other = files.find((file) => !mms.some((form) => takesType(form, file)))
  if (other) return `This carrier sends no file of the type ${other.type}`
  const forms = mms.filter((form) => files.every((file) => takesType(form, file)))
  const most = Math.max(...(forms.length > 0 ? forms : mms).map(({ maxFiles }) => maxFiles))
  return (
    forms.find(({ maxFiles }) => files.length <= maxFiles) ??
    `This carrier sends at most ${most} ${most === 1 ? 'file' : 'files'}`
  )
}

const takesType = ({ types }: MmsForm, { type }: OutgoingFile) =>
  types.length === 0 || types.some((beginning) => type.startsWith(beginning))

/** Why a carrier cannot send the files of an MMS; '' for a text, and if it can. */
export function findMmsFault(carrier: Carrier, { attachments }: OutgoingText): string {
  if (!attachments) return ''
  const form = chooseMmsForm(carrier, attachments)
  if (typeof form === 'string') return form
  // the carrier fetches them
  return attachments.some(({ url }) => findUrlFault(url, carrier.allowPrivate))
    ? 'The carrier cannot fetch files from this server: PUBLIC_URL is no public https address'
    : ''
}
