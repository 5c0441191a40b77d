import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { writeManyScans } from '../../payloads/files/worst-pictures.ts'
import { type Attack, asUser, byGuest, byUser, type Prepared } from './attack.ts'
import { flood } from './sockets.ts'

// Files: large ones that nobody reads, ranges, thumbnails, pictures that are larger than they look.

/** A part of a PNG file. PNG specification, 5.3 */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A black picture of `size` × `size` pixels of one bit. */
function png(size: number): Buffer {
  const shape = Buffer.alloc(13)
  shape.writeUInt32BE(size, 0)
  shape.writeUInt32BE(size, 4)
  shape[8] = 1 // bits a pixel, greyscale
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = deflateSync(Buffer.alloc((size / 8 + 1) * size))
  const end = chunk('IEND', Buffer.alloc(0))
  return Buffer.concat([signature, chunk('IHDR', shape), chunk('IDAT', pixels), end])
}

/** Stores a file in a new record; answers its address. */
async function upload(
  url: string,
  token: string,
  collection: string,
  file: Buffer,
  name: string,
): Promise<string> {
  const form = new FormData()
  form.set('title', 'A file')
  form.set('file', new Blob([new Uint8Array(file)]), name)
  const records = `${url}/api/collections/${collection}/records`
  const answer = await fetch(records, {
    method: 'POST',
    headers: { authorization: token },
    body: form,
  })
  const record = (await answer.json()) as { id: string; file: string }
  if (!answer.ok) throw new Error(`upload: ${answer.status} ${JSON.stringify(record)}`)
  return `/api/files/${collection}/${record.id}/${record.file}`
}

/** Of those that the field names, and others. */
const SIZES = [
  '100x100',
  '200x0',
  '0x300',
  '400x400t',
  '500x500b',
  '600x600f',
  '9999x9999',
  '1x1',
  'x'.repeat(500),
]

const withFile =
  (file: () => Buffer, name: string) =>
  async ({ url, root }: { url: string; root: { token: string } }): Promise<Prepared> => ({
    path: await upload(url, root.token, 'boards', file(), name),
  })

export const files: readonly Attack[] = [
  byGuest(
    'downloads that nobody reads',
    { prepare: withFile(() => randomBytes(4_500_000), 'large.bin') },
    (run) => flood(run, 100, () => ({ path: run.prepared.path!, isUnread: true })),
  ),
  byGuest('many ranges', { prepare: withFile(() => randomBytes(4_500_000), 'large.bin') }, (run) =>
    flood(run, 16, (turn) => {
      const ranges = Array.from({ length: 1_000 }, (_, i) =>
        turn % 2 ? `${i}-` : `${i * 2}-${i * 2}`,
      )
      return { path: run.prepared.path!, headers: { range: `bytes=${ranges.join(',')}` } }
    }),
  ),
  byGuest(
    'thumbnails of a picture',
    { prepare: withFile(() => png(4_000), 'picture.png') },
    (run) =>
      flood(run, 16, (turn) => ({
        path: `${run.prepared.path}?thumb=${SIZES[turn % SIZES.length]}`,
      })),
  ),
  byUser(
    'a picture of 30,000 × 30,000 pixels',
    {
      prepare: asUser(async (user, { url }) => ({
        path: await upload(url, user.token, 'albums', png(30_000), 'bomb.png'),
      })),
    },
    (run) =>
      flood(run, 8, (turn) => ({
        path: `${run.prepared.path}?thumb=${SIZES[turn % SIZES.length]}`,
      })),
  ),
  byUser(
    'thumbnails of many large pictures',
    {
      prepare: asUser(async (user, { url }) => {
        const picture = png(12_000)
        const paths = Array.from({ length: 10 }, (_, i) =>
          upload(url, user.token, 'albums', picture, `large-${i}.png`),
        )
        return { paths: (await Promise.all(paths)).join(' ') }
      }),
    },
    (run) => {
      const paths = run.prepared.paths!.split(' ')
      return flood(run, 16, (turn) => ({
        path: `${paths[turn % paths.length]}?thumb=${SIZES[Math.floor(turn / paths.length) % SIZES.length]}`,
      }))
    },
  ),
  byUser(
    'the worst pictures of one account',
    {
      prepare: asUser(async (user, { url }) => {
        const { width, height } = { width: 4_896, height: 4_896 }
        const worst = [
          ...[400, 1_000, 2_000].map((scans) => writeManyScans({ width, height }, scans)),
          png(16_000),
        ]
        const paths: string[] = []
        for (const [i, picture] of worst.entries())
          paths.push(await upload(url, user.token, 'albums', picture, `worst-${i}.jpg`))
        return { paths: paths.join(' ') }
      }),
    },
    (run) => {
      const paths = run.prepared.paths!.split(' ')
      return flood(run, 16, (turn) => ({
        path: `${paths[turn % paths.length]}?thumb=${SIZES[Math.floor(turn / paths.length) % SIZES.length]}`,
      }))
    },
  ),
  byUser('uploads of pictures', (run) => {
    const boundary = 'frontier'
    const part = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n`
    const body = Buffer.concat([
      Buffer.from(part),
      png(8_000),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    const path = '/api/collections/albums/records'
    return flood(run, 8, () => ({ path, body, headers }))
  }),
  byGuest(
    'junk as file tokens',
    { prepare: withFile(() => randomBytes(1_000), 'small.bin') },
    (run) =>
      flood(run, 8, (turn) => ({
        path: `${run.prepared.path}?token=${`eyJ${turn}.`.repeat(1_000)}`,
      })),
  ),
]
