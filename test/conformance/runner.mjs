#!/usr/bin/env node
import fs from 'node:fs'
// Conformance runner. Needs nothing but Node >= 20. See README.md beside this file.
import http from 'node:http'
import https from 'node:https'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import zlib from 'node:zlib'

const HERE = path.dirname(fileURLToPath(import.meta.url))

// ---------------------------------------------------------------- corpus

export function loadCorpus(dir) {
  const read = (f) => JSON.parse(fs.readFileSync(path.join(dir, f), 'utf8'))
  const areas = {}
  const casesDir = path.join(dir, 'cases')
  for (const f of fs
    .readdirSync(casesDir)
    .filter((f) => f.endsWith('.jsonl'))
    .sort()) {
    areas[f.replace(/\.jsonl$/, '')] = fs
      .readFileSync(path.join(casesDir, f), 'utf8')
      .split('\n')
      .filter((l) => l.trim() !== '')
      .map((l) => JSON.parse(l))
  }
  return { dir, schema: read('schema.json'), identities: read('identities.json'), areas }
}

// ---------------------------------------------------------------- HTTP

const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 64 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 64 }),
}

function multipartBody(parts) {
  const b = '----conformance7f3a9c'
  let s = ''
  for (const [name, value] of parts) {
    s += `--${b}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  }
  s += `--${b}--\r\n`
  return { type: `multipart/form-data; boundary=${b}`, data: Buffer.from(s) }
}

export class Client {
  constructor(baseUrl, { strip = '', identities = {}, schema = [] } = {}) {
    this.base = new URL(baseUrl)
    this.strip = strip
    this.identities = identities
    this.tokens = {}
    // collections whose id equals their name: these ids carry the prefix on a stripped target
    this.plainIds = new Set(schema.filter((c) => c.id === c.name).map((c) => c.id))
  }

  unmap(text) {
    return this.strip ? text.split(this.strip).join('') : text
  }

  mapBody(body, p) {
    if (!this.strip || !p.startsWith('/api/collections') || /\/records/.test(p)) return body
    const walk = (v, k) => {
      if (Array.isArray(v)) return v.map((x) => walk(x))
      if (v && typeof v === 'object') {
        const o = {}
        for (const key of Object.keys(v)) o[key] = walk(v[key], key)
        return o
      }
      if ((k === 'collectionId' || k === 'id') && typeof v === 'string' && this.plainIds.has(v))
        return this.strip + v
      return v
    }
    return walk(body)
  }

  raw({ method = 'GET', path: p, headers = {}, data }, onResponse) {
    const mod = this.base.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      const req = mod.request(
        {
          protocol: this.base.protocol,
          hostname: this.base.hostname,
          port: this.base.port,
          method,
          path: p,
          headers,
          agent: onResponse ? false : agents[this.base.protocol],
        },
        (res) => {
          if (onResponse) {
            resolve({ req, res })
            return
          }
          const chunks = []
          res.on('data', (c) => chunks.push(c))
          res.on('end', () =>
            resolve({ status: res.statusCode, headers: res.headers, buf: Buffer.concat(chunks) }),
          )
          res.on('error', reject)
        },
      )
      req.on('error', reject)
      if (!onResponse) req.setTimeout(30000, () => req.destroy(new Error('timeout')))
      if (data !== undefined) req.end(data)
      else req.end()
    })
  }

  async request(step) {
    const headers = {}
    const tok = step.as && step.as !== 'guest' ? await this.token(step.as) : null
    if (tok) headers.authorization = tok
    let data
    if (step.multipart) {
      const m = multipartBody(step.multipart)
      headers['content-type'] = m.type
      data = m.data
    } else if (step.raw !== undefined) {
      data = Buffer.from(step.raw)
    } else if (step.body !== undefined) {
      headers['content-type'] = 'application/json'
      data = Buffer.from(JSON.stringify(this.mapBody(step.body, step.path)))
    }
    for (const [k, v] of Object.entries(step.headers || {})) {
      if (v === null) delete headers[k.toLowerCase()]
      else headers[k.toLowerCase()] = v
    }
    if (data !== undefined) headers['content-length'] = String(data.length)
    const r = await this.raw({ method: step.method || 'GET', path: step.path, headers, data })
    const enc = r.headers['content-encoding']
    if (r.buf.length && enc === 'gzip') r.buf = zlib.gunzipSync(r.buf)
    else if (r.buf.length && enc === 'br') r.buf = zlib.brotliDecompressSync(r.buf)
    else if (r.buf.length && enc === 'deflate') r.buf = zlib.inflateSync(r.buf)
    const out = { status: r.status, headers: r.headers, text: this.unmap(r.buf.toString('utf8')) }
    if (out.text !== '') {
      try {
        out.json = JSON.parse(out.text)
      } catch {
        /* not JSON */
      }
    }
    return out
  }

  async token(name) {
    if (this.tokens[name]) return this.tokens[name]
    const id = this.identities[name]
    if (id === undefined) throw new Error(`unknown identity ${name}`)
    if (id === null) return null
    this.tokens[name] = (async () => {
      let r
      if (id.impersonate) {
        r = await this.request({
          as: id.impersonate,
          method: 'POST',
          path: `/api/collections/${id.collection}/impersonate/${id.id}`,
          body: {},
        })
      } else {
        r = await this.request({
          method: 'POST',
          path: `/api/collections/${id.collection}/auth-with-password`,
          body: { identity: id.identity, password: id.password },
        })
      }
      if (r.status !== 200 || !r.json?.token)
        throw new Error(`cannot sign in as ${name}: ${r.status} ${r.text.slice(0, 200)}`)
      return r.json.token
    })()
    return this.tokens[name]
  }
}

// ---------------------------------------------------------------- SSE

export class Sse {
  constructor(client) {
    this.client = client
    this.queue = []
    this.waiters = []
    this.closed = false
  }
  async open(headers = {}) {
    const { req, res } = await this.client.raw(
      { path: '/api/realtime', headers: { accept: 'text/event-stream', ...headers } },
      true,
    )
    this.req = req
    this.res = res
    let buf = ''
    res.setEncoding('utf8')
    res.on('data', (c) => {
      buf += c
      for (let i = buf.search(/\r?\n\r?\n/); i >= 0; i = buf.search(/\r?\n\r?\n/)) {
        const block = buf.slice(0, i)
        buf = buf.slice(i).replace(/^\r?\n\r?\n/, '')
        const ev = {}
        const data = []
        for (const line of block.split(/\r?\n/)) {
          const m = /^(id|event|data|retry):\s?(.*)$/.exec(line)
          if (!m) continue
          if (m[1] === 'data') data.push(m[2])
          else ev[m[1]] = m[2]
        }
        if (!data.length && !ev.event) continue
        const text = this.client.unmap(data.join('\n'))
        try {
          ev.data = JSON.parse(text)
        } catch {
          ev.data = text
        }
        this.queue.push(ev)
        for (const wake of this.waiters.splice(0)) wake()
      }
    })
    res.on('error', () => {})
    req.on('error', () => {})
    res.on('close', () => {
      this.closed = true
      for (const wake of this.waiters.splice(0)) wake()
    })
    return { status: res.statusCode, headers: res.headers }
  }
  async take(n, timeoutMs = 3000, quietMs = 250) {
    const end = Date.now() + timeoutMs
    while (this.queue.length < n && Date.now() < end && !this.closed) {
      await new Promise((r) => {
        const t = setTimeout(r, Math.max(1, end - Date.now()))
        this.waiters.push(() => {
          clearTimeout(t)
          r()
        })
      })
    }
    if (quietMs) await new Promise((r) => setTimeout(r, quietMs))
    return this.queue.splice(0)
  }
  close() {
    try {
      this.req?.destroy()
    } catch {
      /* gone */
    }
  }
}

// ---------------------------------------------------------------- matching

const DT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}Z$/
const MATCHERS = {
  id: (v) => typeof v === 'string' && /^[a-z0-9]{15}$/.test(v),
  token: (v) => typeof v === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(v),
  datetime: (v) => typeof v === 'string' && DT.test(v),
  any: (v) => v !== undefined,
  number: (v) => typeof v === 'number',
  string: (v) => typeof v === 'string',
}
export function isMatcher(e) {
  return (
    e !== null &&
    typeof e === 'object' &&
    !Array.isArray(e) &&
    Object.keys(e).length === 1 &&
    typeof e.$match === 'string'
  )
}
function applyMatcher(name, v) {
  if (name.startsWith('regex:')) return typeof v === 'string' && new RegExp(name.slice(6), 's').test(v)
  if (name.startsWith('unixIn:'))
    return typeof v === 'number' && Math.abs(v - Date.now() / 1000 - Number(name.slice(7))) < 120
  if (!MATCHERS[name]) throw new Error(`unknown matcher ${name}`)
  return MATCHERS[name](v)
}

const esc = (k) => String(k).replace(/~/g, '~0').replace(/\//g, '~1')

// returns null, or {path, expected, got} of the first difference
export function diff(e, a, p = '', unordered = false) {
  if (isMatcher(e)) return applyMatcher(e.$match, a) ? null : { path: p || '/', expected: e, got: a }
  if (Array.isArray(e)) {
    if (!Array.isArray(a)) return { path: p || '/', expected: e, got: a }
    if (unordered) return diffSet(e, a, p)
    for (let i = 0; i < Math.max(e.length, a.length); i++) {
      if (i >= a.length)
        return {
          path: `${p}/${i}`,
          expected: e[i],
          got: undefined,
          note: `lengths ${e.length} and ${a.length}`,
        }
      if (i >= e.length)
        return {
          path: `${p}/${i}`,
          expected: undefined,
          got: a[i],
          note: `lengths ${e.length} and ${a.length}`,
        }
      const d = diff(e[i], a[i], `${p}/${i}`)
      if (d) return d
    }
    return null
  }
  if (e !== null && typeof e === 'object') {
    if (a === null || typeof a !== 'object' || Array.isArray(a))
      return { path: p || '/', expected: e, got: a }
    const keys = new Set([...Object.keys(e), ...Object.keys(a)])
    for (const k of keys) {
      const kp = `${p}/${esc(k)}`
      if (!(k in a)) return { path: kp, expected: e[k], got: undefined }
      if (!(k in e)) return { path: kp, expected: undefined, got: a[k] }
      // the order inside an expanded back-relation is not defined
      const d = diff(e[k], a[k], kp, /_via_/.test(k) && Array.isArray(e[k]))
      if (d) return d
    }
    return null
  }
  return Object.is(e, a) || (e === 0 && a === 0) ? null : { path: p || '/', expected: e, got: a }
}
function diffSet(e, a, p) {
  const rest = a.slice()
  const miss = []
  for (const x of e) {
    const i = rest.findIndex((y) => !diff(x, y))
    if (i >= 0) rest.splice(i, 1)
    else miss.push(x)
  }
  if (!miss.length && !rest.length) return null
  return {
    path: `${p} (as a set)`,
    expected: miss[0],
    got: rest[0],
    note: `${miss.length} missing, ${rest.length} unexpected`,
  }
}
export function contains(e, a, p = '') {
  for (const k of Object.keys(e)) {
    if (a === null || typeof a !== 'object' || !(k in a))
      return { path: `${p}/${k}`, expected: e[k], got: undefined }
    const d = diff(e[k], a[k], `${p}/${k}`)
    if (d) return d
  }
  return null
}

export function pointer(doc, ptr) {
  let v = doc
  for (const part of ptr.split('/').slice(1)) {
    if (v === null || v === undefined) return undefined
    v = v[part.replace(/~1/g, '/').replace(/~0/g, '~')]
  }
  return v
}

// ---------------------------------------------------------------- running one case

export function subst(v, vars) {
  if (typeof v === 'string') {
    return v.replace(/\$\{([\w:.]+)\}/g, (m, n) => (n in vars ? String(vars[n]) : m))
  }
  if (Array.isArray(v)) return v.map((x) => subst(x, vars))
  if (v && typeof v === 'object') {
    const o = {}
    for (const k of Object.keys(v)) o[subst(k, vars)] = subst(v[k], vars)
    return o
  }
  return v
}

export function decodeJwt(t) {
  const [h, p] = String(t).split('.')
  const j = (x) => JSON.parse(Buffer.from(x, 'base64url').toString('utf8'))
  return { header: j(h), payload: j(p) }
}

async function withTokens(step, vars, client) {
  const need = JSON.stringify(step).matchAll(/\$\{token:(\w+)\}/g)
  for (const m of need) vars[`token:${m[1]}`] = await client.token(m[1])
}

// performs one step; returns what came back (never judges)
export async function perform(step, vars, client, sse) {
  await withTokens({ ...step, expect: undefined }, vars, client)
  if (step.sse) {
    const name = step.sse
    if (step.open) {
      sse[name] = new Sse(client)
      const r = await sse[name].open(subst(step.headers || {}, vars))
      const first = r.status === 200 ? await sse[name].take(1, 5000, 0) : []
      const ev = first[0]
      if (ev?.data?.clientId) vars[name] = ev.data.clientId
      return { status: r.status, headers: r.headers, json: ev ? [ev] : [], text: 'events' }
    }
    if (step.close) {
      sse[name]?.close()
      return { status: 0, headers: {}, text: '' }
    }
    if (step.events !== undefined) {
      const evs = await sse[name].take(step.events, step.within ?? 3000, step.quiet ?? 250)
      return { status: 0, headers: {}, json: evs, text: 'events' }
    }
    throw new Error('bad sse step')
  }
  const s = { ...step }
  for (const k of ['path', 'body', 'raw', 'multipart', 'headers'])
    if (s[k] !== undefined) s[k] = subst(s[k], vars)
  if (s.sleep) await new Promise((r) => setTimeout(r, s.sleep))
  return client.request(s)
}

export function judge(expect, res, vars, client) {
  const ex = subst(expect, vars)
  if (ex.status !== undefined && ex.status !== res.status) {
    return { path: 'status', expected: ex.status, got: res.status, note: res.text?.slice(0, 240) }
  }
  if (ex.headers) {
    for (const [k, v] of Object.entries(ex.headers)) {
      const got = res.headers[k] === undefined ? null : res.headers[k]
      const d = diff(v, got, `header ${k}`)
      if (d) return d
    }
  }
  if (ex.empty && res.text !== '') return { path: 'body', expected: '(empty)', got: res.text.slice(0, 200) }
  if ('text' in ex) {
    const d = diff(ex.text, res.text, 'text')
    if (d) return d
  }
  if ('body' in ex) {
    if (res.json === undefined)
      return { path: 'body', expected: ex.body, got: res.text?.slice(0, 200), note: 'not JSON' }
    let { body } = ex
    let actual = res.json
    if (ex.unordered && Array.isArray(body?.items)) {
      const d = diff(body.items, actual?.items, '/items', true)
      if (d) return d
      body = { ...body, items: 0 }
      actual = { ...actual, items: 0 }
    }
    const d = diff(body, actual, '', Boolean(ex.unordered) && Array.isArray(body))
    if (d) return d
  }
  if (ex.contains) {
    const d = contains(ex.contains, res.json)
    if (d) return d
  }
  if (ex.claims) {
    let c
    try {
      c = decodeJwt(pointer({ body: res.json }, ex.claims.of))
    } catch {
      return { path: `claims ${ex.claims.of}`, expected: 'a JWT', got: undefined }
    }
    c = JSON.parse(client.unmap(JSON.stringify(c)))
    const d =
      diff(ex.claims.header, c.header, 'claims.header') ||
      diff(ex.claims.payload, c.payload, 'claims.payload')
    if (d) return d
  }
  return null
}

export function saveVars(step, res, vars) {
  for (const [k, ptr] of Object.entries(step.save || {}))
    vars[k] = pointer({ body: res.json, headers: res.headers }, ptr)
}

export const stepsOf = (c) => c.steps || [c]

async function runCase(c, client) {
  const vars = {}
  const sse = {}
  let fail = null
  try {
    const steps = stepsOf(c)
    for (let i = 0; i < steps.length; i++) {
      const st = steps[i]
      let res
      try {
        res = await perform(st, vars, client, sse)
      } catch (err) {
        fail = {
          step: i,
          st,
          vars,
          d: { path: 'request', expected: 'an answer', got: String(err.message || err) },
        }
        break
      }
      saveVars(st, res, vars)
      const d = st.expect ? judge(st.expect, res, vars, client) : null
      if (d) {
        fail = { step: i, st, vars, d }
        break
      }
    }
  } finally {
    for (const s of Object.values(sse)) s.close()
    for (const st of c.cleanup || []) {
      try {
        await perform(st, vars, client, sse)
      } catch {
        /* best effort */
      }
    }
  }
  return fail
}

const READ = new Set(['GET', 'HEAD', 'OPTIONS'])
export const isReadOnly = (c) => !c.serial && stepsOf(c).every((s) => !s.sse && READ.has(s.method || 'GET'))

const short = (v, n = 400) => {
  const s = v === undefined ? '(absent)' : JSON.stringify(v)
  return s.length > n ? `${s.slice(0, n)}… (${s.length} chars)` : s
}

function describe(st, vars) {
  if (st.sse) return `SSE ${st.sse} ${st.open ? 'open' : st.close ? 'close' : `expect ${st.events} event(s)`}`
  const p = subst(st.path, vars)
  let plain = p
  try {
    plain = decodeURIComponent(p)
  } catch {
    /* leave */
  }
  let s = `${st.as ? `[${st.as}] ` : ''}${st.method || 'GET'} ${p}`
  if (plain !== p) s += `\n      (${plain.length > 400 ? `${plain.slice(0, 400)}…` : plain})`
  if (st.body !== undefined) s += `\n      body ${short(subst(st.body, vars))}`
  if (st.raw !== undefined) s += `\n      raw ${short(st.raw)}`
  if (st.multipart) s += `\n      form ${short(subst(st.multipart, vars))}`
  if (st.headers) s += `\n      headers ${short(st.headers)}`
  return s
}

// ---------------------------------------------------------------- main

function args(argv) {
  const o = { url: 'http://127.0.0.1:8090', concurrency: 4, strip: '' }
  for (let i = 0; i < argv.length; i++) {
    const a = argv[i]
    const val = () => argv[++i]
    if (a === '--url') o.url = val()
    else if (a === '--area') o.area = val().split(',')
    else if (a === '--only') o.only = val()
    else if (a === '--artefacts') o.artefacts = true
    else if (a === '--all') o.all = true
    else if (a === '--strip') o.strip = val()
    else if (a === '--json') o.json = val()
    else if (a === '--concurrency') o.concurrency = Number(val())
    else if (a === '--corpus') o.corpus = val()
    else if (a === '--max') o.max = Number(val())
    else if (a === '--quiet') o.quiet = true
    else if (a === '--list') o.list = true
    else if (a === '--help' || a === '-h') o.help = true
    else {
      console.error(`unknown option ${a}`)
      process.exit(2)
    }
  }
  return o
}

async function main() {
  const o = args(process.argv.slice(2))
  if (o.help) {
    console.log(
      'node runner.mjs --url URL [--area a,b] [--only ID] [--artefacts | --all] [--strip PREFIX] [--json OUT] [--concurrency N] [--corpus DIR] [--max N] [--quiet] [--list]',
    )
    return
  }
  const corpus = loadCorpus(o.corpus ? path.resolve(o.corpus) : HERE)
  const client = new Client(o.url, { strip: o.strip, identities: corpus.identities, schema: corpus.schema })
  const picked = []
  for (const [area, cases] of Object.entries(corpus.areas)) {
    if (o.area && !o.area.includes(area)) continue
    for (const c of cases) {
      if (o.only && c.id !== o.only) continue
      const tags = c.tags || []
      if (tags.includes('seed') && o.strip) continue
      if (!o.only && !o.all && tags.includes('artefact') !== Boolean(o.artefacts)) continue
      picked.push({ area, c })
    }
  }
  if (o.list) {
    for (const { c } of picked) console.log(`${c.id}\t${c.why || ''}`)
    return
  }
  const results = []
  const one = async ({ area, c }) => {
    let fail
    try {
      fail = await runCase(c, client)
    } catch (err) {
      fail = {
        step: 0,
        st: stepsOf(c)[0],
        vars: {},
        d: { path: 'runner', expected: '', got: String(err.stack || err) },
      }
    }
    results.push({ area, id: c.id, ok: !fail, fail, c })
  }
  const reads = picked.filter((x) => isReadOnly(x.c))
  const rest = picked.filter((x) => !isReadOnly(x.c))
  let next = 0
  await Promise.all(
    Array.from({ length: Math.max(1, o.concurrency) }, async () => {
      while (next < reads.length) await one(reads[next++])
    }),
  )
  for (const x of rest) await one(x)

  results.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  let shown = 0
  if (!o.quiet) {
    for (const r of results.filter((x) => !x.ok)) {
      if (o.max !== undefined && shown >= o.max) break
      shown++
      const { fail } = r
      console.log(
        `FAIL ${r.id}${r.c.steps ? ` step ${fail.step + 1}/${r.c.steps.length}` : ''}${r.c.why ? `  — ${r.c.why}` : ''}`,
      )
      console.log(`      ${describe(fail.st, fail.vars)}`)
      console.log(`      at ${fail.d.path}${fail.d.note ? `  (${fail.d.note})` : ''}`)
      console.log(`      expected ${short(fail.d.expected)}`)
      console.log(`      got      ${short(fail.d.got)}`)
    }
  }
  const per = {}
  for (const r of results) {
    per[r.area] ??= { pass: 0, fail: 0 }
    per[r.area][r.ok ? 'pass' : 'fail']++
  }
  for (const [a, n] of Object.entries(per))
    console.log(`${a.padEnd(16)} ${String(n.pass).padStart(5)} passed ${String(n.fail).padStart(5)} failed`)
  const passed = results.filter((r) => r.ok).length
  const failed = results.length - passed
  if (o.json) {
    fs.writeFileSync(
      o.json,
      JSON.stringify(
        {
          url: o.url,
          passed,
          failed,
          areas: per,
          cases: results.map((r) => ({
            id: r.id,
            area: r.area,
            ok: r.ok,
            ...(r.ok ? {} : { step: r.fail.step + 1, diff: r.fail.d }),
          })),
        },
        null,
        1,
      ),
    )
  }
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed ? 1 : 0)
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fs.realpathSync(fileURLToPath(import.meta.url))) {
  main().catch((e) => {
    console.error(e)
    process.exit(2)
  })
}
