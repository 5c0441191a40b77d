import type { Db } from '../../platform/db/open.ts'
import type { Holder } from '../../platform/limits/limit-holder.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import type { FileField } from '../fields/field.ts'
import { isTimeout, makeThumbnail } from './make-thumbnail.ts'
import {
  type FilePlace,
  findStoredFile,
  loadWholeFile,
  type StoredFile,
  storeFile,
} from './stored-files.ts'
import { makeMemoryContent } from './upload.ts'

/** Types that have thumbnails. PocketBase: apis/file.go */
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpg',
  'image/jpeg',
  'image/gif',
  'image/webp',
])

/** Thumbnail sizes that every file field allows. PocketBase: apis/file.go */
const DEFAULT_SIZES: readonly string[] = ['100x100']

/** Maximum bytes of a picture to decode: it is in memory as a whole. A field may take larger files. */
const MAX_PICTURE_BYTES = 64 << 20

/** The empty thumbnail that is stored for a picture that cannot be decoded, so that it is tried once. */
const NONE = { type: '', content: makeMemoryContent(Buffer.alloc(0)) }

/** A file's thumbnail, made at the first request. Undefined if the size is not allowed or making it fails. */
export async function findThumb(
  db: Db,
  place: FilePlace,
  original: StoredFile,
  {
    size,
    field,
    holder,
  }: { readonly size: string; readonly field: Pick<FileField, 'thumbs'>; readonly holder: Holder },
): Promise<StoredFile | undefined> {
  const isAdmitted = DEFAULT_SIZES.includes(size) || field.thumbs.includes(size)
  if (!isAdmitted || !PICTURES.has(original.type)) return undefined
  if (original.size > MAX_PICTURE_BYTES) return undefined
  const find = () => findStoredFile(db, place, size)
  const make = async () => {
    const memory = admission.memory.open(holder)
    try {
      // no wait for memory: others wait for this turn
      memory.takeNow(original.size)
      const picture = await loadWholeFile(db, original)
      const { type, content } = await makeThumbnail(picture, original.type, size).catch(keepFailure)
      const thumb = { size, original: original.id }
      // another node may have stored the thumbnail meanwhile; `find` then returns that one
      await db.transaction((inside) => storeFile(inside, place, { type, thumb }, content))
    } finally {
      memory.close()
    }
    return find()
  }
  // look again: while this request waited, another one may have made the thumbnail
  const makeInTurn = () => admission.pictures.run(holder, async () => (await find()) ?? make())
  const thumb = (await find()) ?? (await makeInTurn().catch(() => undefined))
  return thumb && thumb.size > 0 ? thumb : undefined
}

/** The result for a picture that cannot be decoded. Throws if there was only no time for it. */
function keepFailure(error: Error): typeof NONE {
  if (isTimeout(error)) throw error
  return NONE
}
