import { isDecodable } from '../../../engine/files/make-thumbnail.ts'
import { hasMetadata, shrinkPicture } from '../../../engine/files/shrink-picture.ts'
import { sniffContentType } from '../../../engine/files/sniff-content-type.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { type Attachment, type Media, readAttachment } from '../../base/message-files.ts'
import { MAX_FILES } from './mms.ts'

/** A file of a send, as its sender names it. */
export interface GivenFile {
  readonly name: string
  readonly bytes: Buffer
}

/** Pictures that phones show. Other pictures are sent as JPEG. */
const SHOWN = new Set(['image/jpeg', 'image/png', 'image/gif'])
const PICTURES = new Set([...SHOWN, 'image/webp'])
/** Types that phones take in an MMS besides pictures: OMA-TS-MMS-CONF 1.3, and what Android opens. */
const OTHERS =
  /^(?:video\/(?:3gpp|mp4)|audio\/.+|text\/(?:plain|vcard|x-vcard|calendar)|application\/pdf)/

/**
 * Makes what an MMS has besides its text. Pictures lose their metadata, such as the place of a photo, and
 * are made smaller until all files fit into `maxBytes`.
 * Throws 400 for a file of another type, too many files, and files that do not fit. Takes up to a second of
 * CPU for each picture: callers use a place of `admission.heavyWork`.
 */
export async function prepareMedia(
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
    const fits = SHOWN.has(file.type) && file.bytes.length <= share && !(await tellsMore(file))
    const bytes = fits ? file.bytes : await shrink(file, share)
    if (!bytes) throw makeSizeError(file, maxBytes)
    fitted.set(file, bytes)
    room -= bytes.length
  }
  if (room < 0) throw makeSizeError(sized.find(({ type }) => !PICTURES.has(type))!, maxBytes)
  const files: Attachment[] = []
  for (const file of sized) {
    const read = await readAttachment(file.name, fitted.get(file) ?? file.bytes)
    if (read.type === 'application/octet-stream') throw makeUnreadableError(file.name)
    files.push(read)
  }
  return { subject, files }
}

export type LeaveOut = (error: unknown) => void

/** As `prepareMedia`, of pictures alone. Leaves out those that cannot be sent. */
export async function preparePictures(
  given: readonly GivenFile[],
  maxBytes: number,
  leaveOut: LeaveOut,
): Promise<Media> {
  const pictures: GivenFile[] = []
  for (const file of given.slice(0, MAX_FILES)) {
    const { type } = await sniffContentType(file.bytes)
    if (PICTURES.has(type) && (await isDecodable(file.bytes))) pictures.push(file)
    else leaveOut(makeUnreadableError(file.name))
  }
  if (given.length > MAX_FILES) leaveOut(makeCountError())
  return prepareMedia('', pictures, maxBytes)
}

async function readType(file: GivenFile): Promise<GivenFile & { readonly type: string }> {
  const { type } = await sniffContentType(file.bytes)
  if (file.bytes.length === 0) throw invalidRequest(`attachments: ${file.name} is empty`)
  if (PICTURES.has(type) || OTHERS.test(type)) return { ...file, type }
  throw invalidRequest(
    `attachments: ${file.name} is of the type ${type}, which cannot be sent. Send pictures (JPEG, PNG, GIF, WebP), video (MP4, 3GP), audio, PDF, text, contacts or calendar entries.`,
  )
}

const tellsMore = ({ name, bytes }: GivenFile) =>
  hasMetadata(bytes).catch(() => {
    throw makeUnreadableError(name)
  })

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
