import PocketBase, { type RecordModel } from 'pocketbase'
import sharp from 'sharp'
import { Db } from '../../../src/platform/db/open.ts'
import { makePhoto } from '../../support/pictures.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

const PICTURE = await makePhoto('gnome')
/** Longer than two pieces of what is stored. */
const LONG = Buffer.from(Array.from({ length: 600_000 }, (_, i) => (i * 7919) % 251))
const SIZES = ['50x40', '40x60t', '60x20b', '70x50f', '0x40', '80x0', '0x1000']
/** As high as it is wide it would have 400 million dots. */
const FLAT = await sharp({ create: { width: 20_000, height: 1, channels: 3, background: 'red' } })
  .png()
  .toBuffer()

const server = await startServer()
const pb = new PocketBase(server.url)
await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
const fields = [{ name: 'open', type: 'file', maxSelect: 9, thumbs: SIZES }]
await pb.collections.create({ name: 'albums', type: 'base', fields, createRule: '' })
const open = [
  new File([PICTURE], 'picture.png'),
  new File([LONG], 'long.bin'),
  new File(['not a picture'], 'broken.png'),
  new File([FLAT], 'flat.png'),
  new File([PICTURE.subarray(0, 60)], 'torn.png'),
]
const album: RecordModel = await pb.collection('albums').create({ open })

const get = (name: string, init: RequestInit = {}, query = {}) =>
  fetch(
    pb.files.getURL(
      album,
      album.open.find((one: string) => one.startsWith(name)),
      query,
    ),
    init,
  )
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('a file', () => {
  test('a file is read in small pieces, at most four at a time over all downloads', async () => {
    const { query } = Db.prototype
    const figures = { now: 0, most: 0, largest: 0 }
    const spy = vi.spyOn(Db.prototype, 'query').mockImplementation(async function (
      this: Db,
      text,
      params,
      name,
    ) {
      if (!text.includes('substr(bytes')) return query.call(this, text, params, name)
      figures.most = Math.max(figures.most, ++figures.now)
      const result = await query.call(this, text, params, name).finally(() => figures.now--)
      figures.largest = Math.max(figures.largest, (result.rows[0]![0] as Buffer).length)
      return result
    })
    onTestFinished(() => spy.mockRestore())
    const answers = await Promise.all(Array.from({ length: 8 }, () => get('long')))
    for (const answer of answers) expect((await bytes(answer)).equals(LONG)).toBe(true)
    expect(figures).toEqual({ now: 0, most: 4, largest: 64 << 10 })
  })

  test("a file with picture content and a script's name is served as a picture", async () => {
    const fake = new File(['GIF89a=1;alert(1)'], 'a.js')
    const made = await pb.collection('albums').create({ open: [fake] })
    const answer = await fetch(pb.files.getURL(made, made.open[0]))
    expect(answer.headers.get('content-type')).toBe('image/gif')
    expect(made.open[0]).toMatch(/\.js$/)
  })

  test.each([
    [
      'is shown in the browser if it is a picture',
      'picture',
      {},
      /^inline; filename="picture_\w{10}\.png"$/,
    ],
    [
      'is offered for download on request',
      'picture',
      { download: true },
      /^attachment; filename="picture/,
    ],
  ])('%s', async (_, name, query, disposition) => {
    expect((await get(name, {}, query)).headers.get('content-disposition')).toMatch(disposition)
  })

  test.each([
    ['bytes across the end of a piece', 'bytes=262140-262150', 262_140, 262_151],
    ['more bytes than a piece has', 'bytes=100-599999', 100, 600_000],
  ])('a file is sent in part for a range of %s: bytes $2 to $3', async (_, range, from, to) => {
    const response = await get('long', { headers: { range } })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/600000`)
    expect((await bytes(response)).equals(LONG.subarray(from, to))).toBe(true)
  })

  test('a file is sent whole if several ranges are requested', async () => {
    const response = await get('long', { headers: { range: 'bytes=0-3,5-9' } })
    expect(response.status).toBe(200)
    expect((await bytes(response)).equals(LONG)).toBe(true)
  })

  test('a file of another record is answered with 404', async () => {
    const other = await pb.collection('albums').create({})
    const path = [album.collectionId, other.id, album.open[0]].join('/')
    expect((await fetch(`${server.url}/api/files/${path}`)).status).toBe(404)
  })
})

describe('a thumbnail', () => {
  const thumb = async (name: string, size: string) => {
    const response = await get(name, {}, { thumb: size })
    const { format, width, height } = await sharp(await bytes(response)).metadata()
    return `${response.headers.get('content-type')} ${format} ${width}x${height}`
  }

  test('a thumbnail that would be huge is replaced by the original', async () => {
    expect(await thumb('flat', '0x1000')).toBe('image/png png 20000x1')
  })

  test.each([
    ['100x100', '100x100'],
    ['50x40', '50x40'],
    ['40x60t', '40x60'],
    ['60x20b', '60x20'],
    ['70x50f', '70x46'],
    ['0x40', '60x40'],
    ['80x0', '80x53'],
    ['30x30', '600x400'],
  ])('a thumbnail of the size %s is a PNG of %s', async (size, box) => {
    expect(await thumb('picture', size)).toBe(`image/png png ${box}`)
  })

  test('a thumbnail is made once for concurrent requests', async () => {
    await Promise.all(Array.from({ length: 5 }, () => thumb('picture', '100x100')))
    const { rows } = await server.services.store.db.query(
      `select thumb, count(*) from _files where thumb <> '' and size > 0 group by thumb order by thumb`,
    )
    expect(rows).toEqual(
      ['0x40', '100x100', '40x60t', '50x40', '60x20b', '70x50f', '80x0'].map((one) => [one, 1]),
    )
  })

  test('a thumbnail of a file that is not a picture is the file itself', async () => {
    expect(await (await get('broken', {}, { thumb: '100x100' })).text()).toBe('not a picture')
  })
})
