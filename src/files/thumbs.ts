import { admission } from '../admission/admission.ts'
import type { Holder } from '../admission/holder.ts'
import type { Db } from '../db/open.ts'
import type { FileField } from '../fields/field.ts'
import { type FilePlace, findStored, readStored, type StoredFile, storeFile } from './contents.ts'
import { isPicture, makeThumbnail } from './thumbnail.ts'

/** Sizes that every field allows. PocketBase: apis/file.go */
const DEFAULT_SIZES: readonly string[] = ['100x100']

/**
 * The thumbnail of a file in a size of its field, made at the first request. Undefined for other sizes, other
 * types and failures: the original is then served, as in PocketBase. Holders take turns.
 */
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
  if (!isAdmitted || !isPicture(original.type)) return undefined
  const find = () => findStored(db, place, size)
  const make = async () => {
    const pieces: Buffer[] = []
    for await (const piece of readStored(db, original, 0, original.size)) pieces.push(piece)
    const { type, content } = await makeThumbnail(Buffer.concat(pieces), original.type, size)
    const thumb = { size, original: original.id }
    // Another node may have stored one meanwhile; use that one then.
    await db.transaction((inside) => storeFile(inside, place, { type, thumb }, content))
    return find()
  }
  const found = await find()
  // Concurrent requests find the result of the first.
  return found ?? admission.heavyWork.run(holder, async () => (await find()) ?? make()).catch(() => undefined)
}
