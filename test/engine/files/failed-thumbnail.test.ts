import PocketBase from 'pocketbase'
import { makeUserHolder } from '../../../src/engine/collections/collection.ts'
import { isDecodable } from '../../../src/engine/files/make-thumbnail.ts'
import { BYTES } from '../../../src/platform/limits/admission-limits.ts'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
import { writeManyScans } from '../../payloads/files/worst-pictures.ts'
import { makePhoto } from '../../support/pictures.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

// A picture whose thumbnail cannot be made is tried once, by any server of the database.

const server = await startServer()
const pb = new PocketBase(server.url)
await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
const fields = [{ name: 'open', type: 'file', maxSelect: 9, maxSize: 9_000_000 }]
await pb.collections.create({ name: 'albums', type: 'base', fields, viewRule: '' })
const worst = writeManyScans({ width: 4_896, height: 4_896 }, 300)
const photo = await makePhoto('whatsapp')
const files: readonly (readonly [string, Buffer])[] = [
  ['worst.jpg', worst],
  ['torn.jpg', photo.subarray(0, 3_000)],
  ['torn.png', (await makePhoto('gnome')).subarray(0, 3_000)],
  ['torn.gif', (await makePhoto('gif')).subarray(0, 300)],
  ['torn.webp', (await makePhoto('sticker')).subarray(0, 300)],
  ['photo.jpg', photo],
]
const album = await pb.collection('albums').create({
  open: files.map(([name, bytes]) => new File([new Uint8Array(bytes)], name)),
})
const nameOf = (name: string): string => album.open[files.findIndex(([given]) => given === name)]
const view = async (name: string) => {
  const url = `${server.url}/api/files/${album.collectionId}/${album.id}/${nameOf(name)}?thumb=100x100`
  return Buffer.from(await (await fetch(url)).arrayBuffer())
}
const rows = async () =>
  (
    await server.services.store.db.query(
      `select id, size from _files where thumb <> '' order by id`,
    )
  ).rows

test.each(files.slice(0, -1))('%s is tried once, and is shown itself', async (name, bytes) => {
  expect(await view(name)).toEqual(bytes)
  const before = await rows()
  const startMs = process.cpuUsage()
  for (let i = 0; i < 5; i++) expect(await view(name)).toEqual(bytes)
  expect(process.cpuUsage(startMs).user).toBeLessThan(2_000_000)
  expect(await rows()).toEqual(before)
})

test('a photo beside them has its thumbnail', async () => {
  const small = await view('photo.jpg')
  expect(small.length).toBeLessThan(photo.length)
  expect(await isDecodable(small)).toBe(true)
})

const countBytes = async (collection: string, id: string, name: string) => {
  const url = `${server.url}/api/files/${collection}/${id}/${name}?thumb=100x100`
  const answer = await fetch(url, { headers: { range: 'bytes=0-9' } })
  return Number(answer.headers.get('content-range')?.split('/')[1])
}

test('without memory for it, a photo is shown itself, and has its thumbnail later', async () => {
  const other = await pb.collection('albums').create({
    open: [new File([new Uint8Array(photo)], 'photo.jpg')],
  })
  const count = () => countBytes(other.collectionId, other.id, other.open[0])
  const before = admission.memory.taken
  const share = admission.memory.open(makeUserHolder('other'))
  share.force(BYTES.memory.total)
  const startMs = performance.now()
  expect(await count()).toBe(photo.length)
  // it kept no turn of others while it waited
  expect(performance.now() - startMs).toBeLessThan(5_000)
  share.close()
  expect(await count()).toBeLessThan(photo.length)
  expect(admission.memory.taken).toBe(before)
  await pb.collection('albums').delete(other.id)
})

test('a photo of more than 64 MiB has no thumbnail', async () => {
  const large = [{ name: 'open', type: 'file', maxSelect: 1, maxSize: 80_000_000 }]
  await pb.collections.create({ name: 'films', type: 'base', fields: large, viewRule: '' })
  const bytes = new Uint8Array(Buffer.concat([photo, Buffer.alloc(64 << 20)]))
  const film = await pb.collection('films').create({ open: new File([bytes], 'photo.jpg') })
  expect(await countBytes(film.collectionId, film.id, film.open)).toBe(bytes.length)
  await pb.collection('films').delete(film.id)
})

test('a failed thumbnail is deleted with its file', async () => {
  await pb.collection('albums').delete(album.id)
  expect(await rows()).toEqual([])
})
