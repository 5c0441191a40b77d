#!/usr/bin/env node
// Records a conformance corpus from a real PocketBase.
//   node recorder/record.mjs --pb PATH/TO/pocketbase [--book FILE] [--out DIR] [--port 8191] [--area a,b]
// Starts a fresh server in a temporary folder, loads schema and fixtures, replays every definition, writes
// the answers.
//   --serve        : only prepare the server and leave it running (to validate a corpus); prints its URL
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Client, decodeJwt, perform, pointer, saveVars, subst } from '../runner.mjs'

const HERE = path.dirname(fileURLToPath(import.meta.url))

const argv = process.argv.slice(2)
const opt = (n, d) => {
  const i = argv.indexOf(`--${n}`)
  return i < 0 ? d : argv[i + 1]
}
const flag = (n) => argv.includes(`--${n}`)
const PB = opt('pb', process.env.POCKETBASE || 'pocketbase')
const BOOK = path.resolve(opt('book', path.join(HERE, 'book-dev.mjs')))
const OUT = path.resolve(opt('out', path.join(HERE, '..')))
const PORT = Number(opt('port', '8191'))
const AREAS = opt('area', '') ? opt('area', '').split(',') : null
const BOOT = { email: 'bootstrap@example.com', password: 'bootstrappass1' }
const PREFIX = 'cid_'

let current = null
const VIEWS = new Set()
process.on('exit', () => {
  if (current && !flag('serve'))
    try {
      current.kill('SIGKILL')
    } catch {
      /* gone */
    }
})
const sleep = (ms) => new Promise((r) => setTimeout(r, ms))

function startServer(dir) {
  const log = fs.openSync(path.join(dir, 'server.log'), 'a')
  const p = spawn(
    PB,
    ['serve', '--http', `127.0.0.1:${PORT}`, '--dir', path.join(dir, 'data'), '--dev=false'],
    { stdio: ['ignore', log, log], detached: flag('serve') },
  )
  current = p
  return p
}
async function waitUp(client) {
  for (let i = 0; i < 100; i++) {
    try {
      const r = await client.request({ path: '/api/health' })
      if (r.status === 200) return
    } catch {
      /* not yet */
    }
    await sleep(100)
  }
  throw new Error('the server did not start')
}
const stopServer = (p) =>
  new Promise((r) => {
    p.on('exit', r)
    p.kill('SIGTERM')
  })

const must = (r, what) => {
  if (r.status >= 300) throw new Error(`${what}: ${r.status} ${r.text}`)
  return r
}

function mapSchema(cols) {
  const own = new Set(cols.filter((c) => c.id === c.name).map((c) => c.id))
  const m = (i) => (own.has(i) ? PREFIX + i : i)
  return cols.map((c) => ({
    ...c,
    id: m(c.id),
    fields: c.fields.map((f) => (f.collectionId ? { ...f, collectionId: m(f.collectionId) } : f)),
  }))
}

// Where the project departs from PocketBase on purpose: a page of sms_messages holds at most 500 records (the
// seed's limit). The fixtures hold fewer messages than that, so only the echoed perPage and totalPages
// change.
function depart(step) {
  const body = step.expect?.body
  if (!/^\/api\/collections\/sms_messages\/records\?/.test(step.path || '') || !(body?.perPage > 500))
    return false
  body.perPage = 500
  if (body.totalPages > 0) body.totalPages = Math.ceil(body.totalItems / 500)
  return true
}

export async function prepare(dir, book) {
  const url = `http://127.0.0.1:${PORT}`
  const boot = spawnSync(
    PB,
    ['superuser', 'upsert', BOOT.email, BOOT.password, '--dir', path.join(dir, 'data'), '--dev=false'],
    { encoding: 'utf8' },
  )
  if (boot.status !== 0) throw new Error(boot.stderr || boot.stdout)
  let proc = startServer(dir)
  const c = new Client(url, {
    identities: { boot: { collection: '_superusers', identity: BOOT.email, password: BOOT.password } },
  })
  await waitUp(c)
  const as = 'boot'
  must(
    await c.request({
      as,
      method: 'PUT',
      path: '/api/collections/import',
      body: { collections: mapSchema(book.schema), deleteMissing: true },
    }),
    'import',
  )
  must(
    await c.request({
      as,
      method: 'PATCH',
      path: '/api/settings',
      body: { batch: { enabled: true, maxRequests: 50, timeout: 3, maxBodySize: 0 } },
    }),
    'settings',
  )
  const colsRes = must(await c.request({ as, path: '/api/collections?perPage=500' }), 'collections').json
    .items
  const auth = new Set(colsRes.filter((x) => x.type === 'auth').map((x) => x.name))
  const fixtures = book.fixtures
  // relations first, by repeated passes
  const todo = Object.entries(fixtures).flatMap(([col, rs]) => rs.map((r) => [col, r]))
  let left = todo
  let lastErr = ''
  while (left.length) {
    const again = []
    for (const [col, r] of left) {
      const { created, updated, ...body } = r
      if (auth.has(col)) body.passwordConfirm = body.password
      const res = await c.request({ as, method: 'POST', path: `/api/collections/${col}/records`, body })
      if (res.status >= 300) {
        again.push([col, r])
        lastErr = `${col} ${JSON.stringify(body)} ${res.text}`
      }
    }
    if (again.length === left.length) throw new Error(`fixtures: ${lastErr}`)
    left = again
  }
  // the bootstrap superuser goes away; the fixture superuser stays
  const me = must(
    await c.request({
      as,
      path: `/api/collections/_superusers/records?filter=${encodeURIComponent(`email="${BOOT.email}"`)}`,
    }),
    'me',
  ).json.items[0]
  must(
    await c.request({ as, method: 'DELETE', path: `/api/collections/_superusers/records/${me.id}` }),
    'drop bootstrap',
  )
  await stopServer(proc)
  // autodate fields can only be set underneath the server
  const autodates = {}
  for (const col of colsRes)
    autodates[col.name] = col.fields.filter((f) => f.type === 'autodate').map((f) => f.name)
  const job = path.join(dir, 'stamps.json')
  fs.writeFileSync(job, JSON.stringify({ autodates, fixtures }))
  const py = spawnSync(
    'python3',
    [
      '-c',
      `
import json,sqlite3,sys
j=json.load(open(sys.argv[1])); db=sqlite3.connect(sys.argv[2])
for col,rs in j['fixtures'].items():
    names=j['autodates'].get(col,[])
    for r in rs:
        for n in names:
            if n in r: db.execute('UPDATE "%s" SET "%s"=? WHERE id=?'%(col,n),(r[n],r['id']))
db.execute('DELETE FROM _authOrigins')
db.commit()
`,
      job,
      path.join(dir, 'data', 'data.db'),
    ],
    { encoding: 'utf8' },
  )
  if (py.status !== 0) throw new Error(py.stderr)
  proc = startServer(dir)
  const client = new Client(url, { strip: PREFIX, identities: book.identities, schema: book.schema })
  await waitUp(client)
  return { proc, client, url }
}

// ---------------------------------------------------------------- normalising what came back

const DT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}Z$/
const JWT = /^[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}$/

function normaliser(known, t0) {
  return function norm(v, vars, reqText) {
    const walk = (x, key) => {
      if (Array.isArray(x)) return x.map((y) => walk(y, key))
      if (x && typeof x === 'object') {
        const o = {}
        for (const k of Object.keys(x)) o[k] = walk(x[k], k)
        return o
      }
      if (typeof x !== 'string') return x
      for (const [n, val] of Object.entries(vars)) {
        if (typeof val !== 'string' || val.length < 12 || n.startsWith('token:')) continue
        if (x === val) return `\${${n}}`
        if (x.includes(val)) x = x.split(val).join(`\${${n}}`)
      }
      if (/^_clone_\w{4}$/.test(x)) return { $match: 'regex:^_clone_\\w+$' }
      if (JWT.test(x)) return { $match: 'token' }
      if (DT.test(x)) {
        const t = Date.parse(x.replace(' ', 'T'))
        if (t >= t0 - 5000 && t <= Date.now() + 5000 && !reqText.includes(x)) return { $match: 'datetime' }
      }
      if (
        /^[a-z0-9]{15}$/.test(x) &&
        !/^(text|number|bool|email|url|date|autodate|select|json|editor|relation|file|geopoint|password)\d{5,}$/.test(
          x,
        ) &&
        !known.has(x) &&
        !reqText.includes(x)
      )
        return { $match: 'id' }
      return x
    }
    return walk(v)
  }
}

function setPointer(doc, ptr, val) {
  const parts = ptr.split('/').slice(1)
  let v = doc
  for (let i = 0; i < parts.length - 1; i++) v = v?.[parts[i]]
  if (v && typeof v === 'object') v[parts.at(-1)] = val
}

const listOfRecords = (st) =>
  (st.method || 'GET') === 'GET' && /^\/api\/collections\/[^/]+\/records(\?|$)/.test(st.path)

// is the order of this answer decided by the request alone?
async function orderCheck(st, res, vars, client) {
  const p = subst(st.path, vars)
  const [pathname, query = ''] = p.split('?')
  const parts = query.split('&').filter(Boolean)
  const sortPart = parts.find((x) => x.startsWith('sort='))
  const sort = sortPart ? decodeURIComponent(sortPart.slice(5)) : ''
  const items = res.json.items
  if (!items.length) return {}
  if (sort.includes('@random')) return { unordered: true }
  const isView = VIEWS.has(pathname.split('/')[3])
  const alt = async (extra) => {
    const ps = parts
      .filter((x) => !x.startsWith('sort='))
      .concat(`sort=${encodeURIComponent(sort ? `${sort},${extra}` : extra)}`)
    const r = await client.request({ ...st, path: `${pathname}?${ps.join('&')}` })
    return r.status === 200 ? r.json.items : null
  }
  const tie = isView ? 'id' : '@rowid'
  const a = await alt(tie)
  const b = await alt(`-${tie}`)
  if (!a || !b) return sort ? { note: 'order not checked' } : { unordered: true }
  const key = (xs) => JSON.stringify(xs)
  const set = (xs) => JSON.stringify(xs.map((x) => JSON.stringify(x)).sort())
  if (sort) {
    if (key(a) === key(b) && key(a) === key(items)) return {}
    return { artefact: true }
  }
  if (set(a) === set(b) && set(a) === set(items)) return items.length > 1 ? { unordered: true } : {}
  return { artefact: true }
}

async function recordStep(st, vars, ctx, sse) {
  const { client, norm } = ctx
  const res = await perform(st, vars, client, sse)
  const reqText =
    JSON.stringify(subst({ p: st.path, b: st.body, r: st.raw, m: st.multipart }, vars)) +
    decodeURIComponentSafe(st.path || '') +
    (ctx.caseText || '')
  const expect = {}
  if (!st.sse || st.open) expect.status = res.status
  if (st.rec) {
    expect.headers = {}
    for (const h of st.rec) expect.headers[h] = res.headers[h] ?? null
  }
  if (res.json !== undefined) {
    expect.body = norm(res.json, vars, reqText)
    for (const [ptr, m] of Object.entries(st.volatile || {})) setPointer(expect.body, ptr, { $match: m })
  } else if (res.text === '') {
    if (!st.sse) expect.empty = true
  } else expect.text = st.anyText ? { $match: 'any' } : res.text
  if (st.decode && res.status === 200) {
    const c = JSON.parse(client.unmap(JSON.stringify(decodeJwt(pointer({ body: res.json }, st.decode)))))
    if (typeof c.payload.exp === 'number')
      c.payload.exp = { $match: `unixIn:${Math.round(c.payload.exp - Date.now() / 1000)}` }
    c.payload = norm(c.payload, vars, reqText)
    expect.claims = { of: st.decode, header: c.header, payload: c.payload }
  }
  if (st.anyOrder) expect.unordered = true
  let note = {}
  if (listOfRecords(st) && res.status === 200 && Array.isArray(res.json?.items)) {
    note = await orderCheck(st, res, vars, client)
    if (note.unordered) expect.unordered = true
  } else if (
    /^\/api\/collections(\?|$)/.test(st.path || '') &&
    Array.isArray(res.json?.items) &&
    !/sort=/.test(st.path)
  )
    expect.unordered = true
  const { rec, volatile: _v, decode, anyText, anyOrder, ...out } = st
  saveVars(st, res, vars)
  if (res.json?.id) ctx.last = res.json.id
  // what was saved may also stand in this very answer: keep the matcher there
  out.expect = expect
  return { out, note, res }
}
const decodeURIComponentSafe = (s) => {
  try {
    return decodeURIComponent(s)
  } catch {
    return s
  }
}

async function main() {
  const book = (await import(pathToFileURL(BOOK).href)).book
  for (const c of book.schema) if (c.type === 'view') VIEWS.add(c.name)
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'corpus-'))
  const { proc, client, url } = await prepare(dir, book)
  if (flag('serve')) {
    console.log(`${url} pid ${proc.pid} dir ${dir}`)
    proc.unref()
    process.exit(0)
  }
  try {
    fs.mkdirSync(path.join(OUT, 'cases'), { recursive: true })
    // the exported schema, without the system collections
    const cols = (await client.request({ as: 'super', path: '/api/collections?perPage=500&sort=@rowid' }))
      .json
    let items = cols.items
    if (!items)
      items = (await client.request({ as: 'super', path: '/api/collections?perPage=500' })).json.items
    const order = book.schema.map((c) => c.name)
    const exported = items
      .filter((c) => !c.system)
      .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
      .map((c) => ({
        ...c,
        fields: c.fields.map((f) => (/^_clone_/.test(f.id) ? { ...f, id: `_clone_${f.name}` } : f)),
        created: '2024-01-01 00:00:00.000Z',
        updated: '2024-01-01 00:00:00.000Z',
      }))
    fs.writeFileSync(path.join(OUT, 'schema.json'), `${JSON.stringify(exported, null, 1)}\n`)
    fs.writeFileSync(
      path.join(OUT, 'fixtures.json'),
      `{\n${Object.entries(book.fixtures)
        .map(([k, rs]) => `${JSON.stringify(k)}: [\n${rs.map((r) => JSON.stringify(r)).join(',\n')}\n]`)
        .join(',\n')}\n}\n`,
    )
    fs.writeFileSync(path.join(OUT, 'identities.json'), `${JSON.stringify(book.identities, null, 1)}\n`)

    const known = new Set()
    const collect = (v) => {
      if (typeof v === 'string') known.add(v)
      else if (v && typeof v === 'object') Object.values(v).forEach(collect)
    }
    collect(book.fixtures)
    collect(exported)
    const norm = normaliser(known, Date.now())
    const ctx = { client, norm }
    let total = 0
    const artefacts = []
    const slow = []
    for (const [area, defs] of Object.entries(book.areas)) {
      if (AREAS && !AREAS.includes(area)) continue
      const lines = []
      for (let i = 0; i < defs.length; i++) {
        const d = defs[i]
        const id = `${area}-${String(i + 1).padStart(4, '0')}`
        const t = Date.now()
        const vars = {}
        const sse = {}
        ctx.caseText = JSON.stringify(d)
        const { steps: _s, cleanup, why, tags: tags0, serial, ...single } = d
        const tags = new Set(tags0 || [])
        const outs = []
        try {
          for (const st of d.steps || [single]) {
            const { out, note } = await recordStep(st, vars, ctx, sse)
            if (note.artefact) {
              tags.add('artefact')
              artefacts.push(id)
            }
            outs.push(out)
          }
        } catch (e) {
          throw new Error(`${id} (${why}): ${e.stack}`)
        }
        if (outs.some(depart)) tags.add('seed')
        for (const s of Object.values(sse)) s.close()
        for (const st of cleanup || []) await perform(st, vars, client, sse).catch(() => {})
        // a create that went through although it stands alone: give it its clean-up
        if (
          !d.steps &&
          d.method === 'POST' &&
          /\/records(\?|$)/.test(d.path) &&
          outs[0].expect.status === 200
        ) {
          const { last } = ctx
          await perform(
            { as: 'super', method: 'DELETE', path: `${d.path.split('?')[0]}/${last}` },
            {},
            client,
            {},
          )
          outs[0].save = { rid: '/body/id' }
          lines.push(
            JSON.stringify({
              id,
              steps: outs,
              cleanup: [{ as: 'super', method: 'DELETE', path: `${d.path.split('?')[0]}/\${rid}` }],
              ...(tags.size ? { tags: [...tags] } : {}),
              why,
            }),
          )
          continue
        }
        if (
          !d.steps &&
          d.method === 'POST' &&
          d.path === '/api/collections' &&
          outs[0].expect.status === 200
        ) {
          await perform(
            { as: 'super', method: 'DELETE', path: `/api/collections/${d.body.name}` },
            {},
            client,
            {},
          )
          lines.push(
            JSON.stringify({
              id,
              steps: outs,
              cleanup: [{ as: 'super', method: 'DELETE', path: `/api/collections/${d.body.name}` }],
              ...(tags.size ? { tags: [...tags] } : {}),
              why,
            }),
          )
          continue
        }
        const c = d.steps
          ? { id, ...(serial ? { serial } : {}), steps: outs }
          : { id, ...(serial ? { serial } : {}), ...outs[0] }
        if (cleanup?.length) c.cleanup = cleanup
        if (tags.size) c.tags = [...tags]
        if (why) c.why = why
        lines.push(JSON.stringify(c))
        if (Date.now() - t > 3000) slow.push(`${id} ${Date.now() - t}ms`)
      }
      fs.writeFileSync(path.join(OUT, 'cases', `${area}.jsonl`), `${lines.join('\n')}\n`)
      total += lines.length
      console.log(`${area.padEnd(16)} ${lines.length}`)
    }
    console.log(`${total} cases; order decided by SQLite: ${artefacts.join(' ') || 'none'}`)
    if (slow.length) console.log(`slow: ${slow.join(', ')}`)
  } finally {
    await stopServer(proc)
    fs.rmSync(dir, { recursive: true, force: true })
  }
  process.exit(0)
}
main().catch((e) => {
  console.error(e)
  process.exit(1)
})
