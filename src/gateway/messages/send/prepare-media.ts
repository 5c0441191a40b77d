import { isDecodable, isTurned } from '../../../engine/files/make-thumbnail.ts'
import { shrinkPicture } from '../../../engine/files/shrink-picture.ts'
import { sniffContentType } from '../../../engine/files/sniff-content-type.ts'
import { stripFile } from '../../../engine/files/strip-file.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Holder } from '../../../platform/limits/limit-holder.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { type Attachment, type Media, readAttachment } from '../../base/message-files.ts'
import { MAX_FILES } from './mms.ts'

export interface GivenFile {
  readonly name: string
  readonly bytes: Buffer
  /** How a request named it: an address, or a file of another message. */
  readonly address?: string
}

/** Pictures that phones show. Other pictures are sent as JPEG. */
const SHOWN = new Set(['image/jpeg', 'image/png', 'image/gif'])
const PICTURES = new Set([...SHOWN, 'image/webp'])
const NAMED_PICTURE = /\.(?:jpe?g|png|gif|webp)$/i
/** Types that phones take in an MMS besides pictures: OMA-TS-MMS-CONF 1.3, and what Android opens. */
const OTHERS =
  /^(?:video\/(?:3gpp|mp4)|audio\/.+|text\/(?:plain|vcard|x-vcard|calendar)|application\/pdf)/
/** Types that are a narrower name of one that phones take, as which they are sent. */
const NARROWER: readonly (readonly [RegExp, string])[] = [
  [/^image\/vnd\.mozilla\.apng$/, 'image/png'],
  [/^video\/x-m4v$/, 'video/mp4'],
  // tables, JSON and other texts that people write; pages and drawings would show their source
  [
    /^(?:text\/(?!html)|message\/rfc822|application\/(?:x-subrip|(?!xhtml)[\w.+-]*(?:json|xml)))/,
    'text/plain',
  ],
]

const toSentType = (type: string): string => {
  if (PICTURES.has(type) || OTHERS.test(type)) return type
  const [, wide] = NARROWER.find(([narrow]) => narrow.test(type)) ?? []
  return wide ? type.replace(/^[^;]+/, () => wide) : type
}

/**
 * Makes what an MMS has besides its text. Pictures and films lose what no decoder needs, such as the place
 * of a photo, and pictures are made smaller until all files fit into `maxBytes`. Each picture waits for a
 * turn of `holder`, so that pictures of others are between them. Throws 400 for a file of another type, too
 * many files, and files that do not fit; RetryLater without a turn.
 */
export async function prepareMedia(
  holder: Holder,
  subject: string,
  given: readonly GivenFile[],
  maxBytes: number,
): Promise<Media> {
  if (given.length > MAX_FILES) throw makeCountError()
  const sized = await Promise.all(given.map(readType))
  const pictures = sized.filter(({ type }) => PICTURES.has(type))
  let room = maxBytes
  for (const file of sized) if (!PICTURES.has(file.type)) room -= file.bytes.length
  let left = pictures.length
  const fitted = new Map<GivenFile, Buffer>()
  // the smallest first: what they leave is for the others
  for (const file of pictures.toSorted((a, b) => a.bytes.length - b.bytes.length)) {
    const share = Math.floor(room / left--)
    const bytes = await admission.pictures.run(
      holder,
      async () => (await findReady(file, share)) ?? shrink(file, share),
    )
    if (!bytes) throw makeSizeError(file, maxBytes)
    fitted.set(file, bytes)
    room -= bytes.length
  }
  if (room < 0) throw makeSizeError(sized.find(({ type }) => !PICTURES.has(type))!, maxBytes)
  const files: Attachment[] = []
  for (const file of sized) {
    const read = await readAttachment(file.name, fitted.get(file) ?? file.bytes)
    if (read.type === 'application/octet-stream') throw makeUnreadableError(file.name)
    files.push({ ...read, type: toSentType(read.type) })
  }
  return { subject, files }
}

export type LeaveOut = (error: unknown) => void

/** As `prepareMedia`, of pictures alone. Leaves out those that cannot be sent. */
export async function preparePictures(
  holder: Holder,
  given: readonly GivenFile[],
  maxBytes: number,
  leaveOut: LeaveOut,
): Promise<Media> {
  const pictures: GivenFile[] = []
  for (const file of given.slice(0, MAX_FILES)) {
    const type = toSentType((await sniffContentType(file.bytes)).type)
    if (PICTURES.has(type) && (await isDecodable(file.bytes))) pictures.push(file)
    else leaveOut(makeUnreadableError(file.name))
  }
  if (given.length > MAX_FILES) leaveOut(makeCountError())
  return prepareMedia(holder, '', pictures, maxBytes)
}

type TypedFile = GivenFile & { readonly type: string }

async function readType(file: GivenFile): Promise<TypedFile> {
  const { type: found } = await sniffContentType(file.bytes)
  if (file.bytes.length === 0) throw invalidRequest(`attachments: ${file.name} is empty`)
  const type = toSentType(found)
  if (PICTURES.has(type)) return { ...file, type }
  // such as an error of a shop in JSON, which would leave as a text file
  if (NAMED_PICTURE.test(file.name) && type.startsWith('text/'))
    throw makeUnreadableError(file.name)
  if (OTHERS.test(type)) return { ...file, type, bytes: stripOther(file, found) }
  throw invalidRequest(
    `attachments: ${file.name} is of the type ${type}, which cannot be sent. Send pictures (JPEG, PNG, GIF, WebP), video (MP4, 3GP), audio, PDF, text, contacts or calendar entries.`,
  )
}

function stripOther({ name, bytes }: GivenFile, type: string): Buffer {
  const stripped = stripFile(bytes, type)
  if (!stripped) throw invalidRequest(`attachments: ${name} cannot be read: its parts are broken`)
  return stripped
}

/** A picture as it leaves without being decoded; undefined for one to decode: too large, lying, or WebP. */
async function findReady({ name, bytes, type }: TypedFile, room: number) {
  if (!SHOWN.has(type)) return undefined
  const stripped = stripFile(bytes, type)
  if (!stripped || stripped.length > room) return undefined
  const isLying = await isTurned(bytes).catch(() => {
    throw makeUnreadableError(name)
  })
  return isLying ? undefined : stripped
}

const shrink = ({ name, bytes }: GivenFile, maxBytes: number) =>
  maxBytes <= 0
    ? undefined
    : shrinkPicture(bytes, maxBytes).catch(() => {
        throw makeUnreadableError(name)
      })

const makeCountError = () => invalidRequest(`attachments must have at most ${MAX_FILES} items`)

const makeUnreadableError = (name: string) =>
  invalidRequest(`attachments: ${name} is a picture that cannot be read, or has too many pixels`)

const makeSizeError = ({ name, bytes }: GivenFile, maxBytes: number) =>
  gatewayRefusal(
    'files_too_large',
    `${name} has ${bytes.length} bytes: the files of an MMS may have ${maxBytes} bytes together`,
  )
