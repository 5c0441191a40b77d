import { once } from 'node:events'
import { connect } from 'node:net'
import PocketBase from 'pocketbase'
import { untilWaiting } from '../../support/database/locks.ts'
import { openUploads } from '../../support/open-uploads.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

const file = (name: string, options: object = {}) => ({
  name,
  type: 'file',
  maxSelect: 1,
  ...options,
})
const OPEN = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' }

const server = await startServer()
const pb = new PocketBase(server.url)
await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
await pb.collections.create({
  ...OPEN,
  name: 'docs',
  type: 'base',
  fields: [
    { name: 'title', type: 'text' },
    file('cover', { maxSize: 10 }),
    file('pages', { maxSelect: 3, mimeTypes: ['text/plain'] }),
  ],
})
await pb.collections.create({
  ...OPEN,
  name: 'notes',
  type: 'base',
  fields: [file('scan')],
})
await pb.settings.update({ batch: { enabled: true, maxRequests: 50, timeout: 10 } })

beforeEach(async () => {
  await pb.collections.truncate('docs')
})

const text = (content: string, name = `${content}.txt`) => new File([content], name)
const docs = () => pb.collection('docs')
/** Names of all files that are stored, and that no piece is without its file. */
const stored = async () => {
  const { rows } = await server.services.store.db.query(
    `select f.name, string_agg(convert_from(c.bytes, 'UTF8'), '' order by part) from _file_chunks c
      full join _files f on f.content = c.content group by f.name order by f.name`,
  )
  return rows.map(
    ([name, content]) => `${String(name).replace(/(_[a-z0-9]{10})+\./, '.')}: ${content}`,
  )
}

describe('a batch', () => {
  test('a batch that fails stores no files', async () => {
    const batch = pb.createBatch()
    batch.collection('docs').create({ cover: text('first') })
    batch.collection('docs').create({ cover: text('far too large') })
    await expect(batch.send()).rejects.toMatchObject({ status: 400 })
    expect(await stored()).toEqual([])
  })

  test('a batch that deletes and creates the same record keeps only the new files', async () => {
    const old = await docs().create({ cover: text('old') })
    const batch = pb.createBatch()
    batch.collection('docs').delete(old.id)
    batch.collection('docs').create({ id: old.id, cover: text('new') })
    await batch.send()
    expect(await stored()).toEqual(['new.txt: new'])
  })
})

describe('files are deleted with', () => {
  test('files are deleted with their record, by any statement that deletes or changes it', async () => {
    const [one, two] = [
      await docs().create({ cover: text('one') }),
      await docs().create({ cover: text('two'), pages: [text('kept')] }),
    ]
    const { db } = server.services.store
    await db.query('delete from docs where id = $1', [one!.id])
    await db.query(`update docs set cover = '' where id = $1`, [two!.id])
    expect(await stored()).toEqual(['kept.txt: kept'])
  })

  test('files are deleted with their field, when another takes its name, and their collection', async () => {
    await pb.collections.create({ ...OPEN, name: 'replaced', type: 'base', fields: [file('a')] })
    const record = await pb.collection('replaced').create({ a: text('old') })
    await pb.collections.update('replaced', { fields: [{ ...file('a'), id: 'another_a' }] })
    expect((await pb.collection('replaced').getOne(record.id)).a).toBe('')
    expect(await stored()).toEqual([])
    await pb.collection('replaced').update(record.id, { a: text('new') })
    expect(await stored()).toEqual(['new.txt: new'])
    await pb.collections.delete('replaced')
    expect(await stored()).toEqual([])
  })
})

describe('a multipart form', () => {
  const boundary = 'B'
  const formOf = (parts: readonly string[], size: number) =>
    `${parts.map((key) => `--B\r\nContent-Disposition: form-data; name="${key}"; filename="a.txt"\r\n\r\n${'x'.repeat(size)}\r\n`).join('')}--B--\r\n`
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }

  test.runIf(process.platform === 'linux')(
    'a multipart form of many files keeps at most one open',
    async () => {
      const before = openUploads()
      let most = 0
      const watch = setInterval(() => {
        most = Math.max(most, openUploads())
      }, 2)
      const form = new FormData()
      form.append('x', new File([Buffer.alloc((16 << 20) - 100)], 'a'))
      for (let i = 0; i < 300; i++) form.append('x', new File([Buffer.alloc(500)], 'b'))
      // a guest's body may not be that large
      const { status } = await fetch(`${server.url}/api/collections/docs/records`, {
        method: 'POST',
        headers: { authorization: pb.authStore.token },
        body: form,
      })
      clearInterval(watch)
      expect(status).toBe(200)
      expect(most - before).toBeLessThanOrEqual(1)
    },
  )

  test.runIf(process.platform === 'linux')(
    'a multipart form that cannot be read closes its files',
    async () => {
      const before = openUploads()
      // of a file that Node itself has to close
      const warnings: Error[] = []
      const keepWarning = (warning: Error) => void warnings.push(warning)
      process.on('warning', keepWarning)
      for (let i = 0; i < 10; i++) {
        const form = new FormData()
        form.append('cover', new File([Buffer.alloc((16 << 20) + 1)], 'a'))
        form.append('@jsonPayload', 'no JSON')
        const { status } = await fetch(`${server.url}/api/collections/docs/records`, {
          method: 'POST',
          body: form,
        })
        expect(status).toBe(400)
      }
      await expect.poll(openUploads).toBe(before)
      process.off('warning', keepWarning)
      expect(warnings).toEqual([])
    },
  )

  test('a multipart form whose client disconnects while it is stored is stored whole', async () => {
    const { db } = server.services.store
    const body = formOf(['scan'], 1000)
    const { host, port, hostname } = new URL(server.url)
    const head = `POST /api/collections/notes/records HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${headers['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`
    await db.transaction(async (inside) => {
      // so long nothing is written
      await inside.query('lock table notes')
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write(head + body)
      await untilWaiting(db, 1)
      socket.destroy()
      await once(socket, 'close')
    })
    await expect.poll(async () => (await pb.collection('notes').getList()).totalItems).toBe(1)
    const { rows } = await db.query(`select f.size from _files f where f.size <> (
      select coalesce(sum(octet_length(bytes)), 0) from _file_chunks c where c.content = f.content)`)
    expect(rows).toEqual([])
  })

  test('a multipart form that finds no space on disk is answered with 500', async () => {
    const was = process.env.TMPDIR
    process.env.TMPDIR = '/nowhere/at/all'
    try {
      const form = new FormData()
      form.append('cover', new File([Buffer.alloc((16 << 20) + 1)], 'a'))
      const { status } = await fetch(`${server.url}/api/collections/docs/records`, {
        method: 'POST',
        body: form,
      })
      expect(status).toBe(500)
    } finally {
      if (was === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = was
    }
  })
})
