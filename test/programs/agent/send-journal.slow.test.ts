import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal } from '../../../src/programs/agent/send-journal.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pocketsms-journal-'))
  file = join(folder, 'journal')
})
afterEach(() => rmSync(folder, { recursive: true }))

const report = (id: string) => ({
  kind: 'report' as const,
  item: { id, attempt: 1, status: 'sent' },
})
const idsOf = (journal: ReturnType<typeof openJournal>) =>
  [...journal.untold.values()].map(({ item }) => item.id)

test('after a crash the journal knows which attempts were begun', () => {
  void openJournal(file).begin('a', 1) // not closed: it died
  const next = openJournal(file)
  expect(next.hasBegun('a', 1)).toBe(true)
  expect(next.hasBegun('a', 2)).toBe(false)
  expect(next.hasBegun('b', 1)).toBe(false)
})

test('the journal keeps unreported results in order until the server accepts them', async () => {
  const journal = openJournal(file)
  for (const id of ['a', 'b', 'c']) await journal.keep(report(id))
  journal.forget([[...journal.untold.keys()][1]!])
  const next = openJournal(file)
  expect(idsOf(next)).toEqual(['a', 'c'])
  await next.keep(report('d'))
  expect(idsOf(openJournal(file))).toEqual(['a', 'c', 'd'])
})

test('a line torn by a crash loses only that line', async () => {
  const journal = openJournal(file)
  await journal.begin('a', 1)
  await journal.keep(report('a'))
  appendFileSync(file, '{"tell":2,"kind":"rep')
  const next = openJournal(file)
  expect(next.hasBegun('a', 1)).toBe(true)
  await next.keep(report('b'))
  expect(idsOf(openJournal(file))).toEqual(['a', 'b'])
})

test('the journal forgets attempts older than a week and stays small', async () => {
  const day = Math.floor(Date.now() / 86_400_000)
  writeFileSync(
    file,
    [`{"begun":"old.1","day":${day - 8}}`, `{"begun":"new.1","day":${day - 6}}`, ''].join('\n'),
  )
  const journal = openJournal(file)
  expect(journal.hasBegun('old', 1)).toBe(false)
  expect(journal.hasBegun('new', 1)).toBe(true)
  for (let i = 0; i < 100; i++) {
    await journal.keep(report(String(i)))
    journal.forget([...journal.untold.keys()])
  }
  journal.close()
  openJournal(file).close()
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1)
})

test('the journal forgets unsent attempts at once and reported ones after a restart, but keeps refused ones', async () => {
  const journal = openJournal(file)
  for (const id of ['taken', 'refused']) {
    await journal.begin(id, 1)
    await journal.keep(report(id))
    journal.forget([...journal.untold.keys()], id === 'refused')
    expect(journal.hasBegun(id, 1)).toBe(true)
  }
  await journal.begin('undone', 1)
  await journal.undo('undone', 1)
  expect(journal.hasBegun('undone', 1)).toBe(false)
  const next = openJournal(file)
  const begun = ['taken', 'undone', 'refused'].filter((id) => next.hasBegun(id, 1))
  expect(begun).toEqual(['refused'])
})

const SOURCE = new URL('../../../src/programs/agent/send-journal.ts', import.meta.url).href
/**
 * A process whose files may become this large, as on a disk that is full. prlimit(1) is in Linux' util-linux.
 */
const LIMIT = 4_000
const canLimit = spawnSync('prlimit', ['--version']).status === 0

/** Runs a program of its own on the journal in `file`; what it answers. */
function whenFull(program: string): unknown {
  const limit = `const limit = (to) => execFileSync('prlimit', ['--pid', String(process.pid), \`--fsize=\${to}:\`])`
  const text = `import { execFileSync } from 'node:child_process'
    import { openJournal } from '${SOURCE}'
    ${limit}
    const file = ${JSON.stringify(file)}
    const answer = await (async () => { ${program} })()
    limit('unlimited')
    console.log(JSON.stringify(answer))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

describe.runIf(canLimit)('a journal on a full disk', () => {
  test('a journal on a full disk refuses to begin an attempt that it cannot write', () => {
    const begun = whenFull(`
      const journal = openJournal(file)
      limit(${LIMIT})
      for (let i = 0; ; i++) if ((await journal.begin('m' + i, 1)) === 'unstored') return i`)
    const next = openJournal(file)
    expect(begun).toBeGreaterThan(50)
    expect(next.hasBegun(`m${Number(begun) - 1}`, 1)).toBe(true)
  })

  test('a journal on a full disk begins the attempt once there is room again', () => {
    const begun = whenFull(`
      const journal = openJournal(file)
      limit(1)
      const full = await journal.begin('m1', 1)
      const known = journal.hasBegun('m1', 1)
      limit('unlimited')
      return [full, known, await journal.begin('m1', 1)]`)
    expect(begun).toEqual(['unstored', false, 'here'])
    expect(openJournal(file).hasBegun('m1', 1)).toBe(true)
  })

  test('a journal on a full disk tells a result that it could not store while it runs', () => {
    const told = whenFull(`
      const journal = openJournal(file)
      await journal.begin('m1', 1)
      limit(1)
      const error = await journal.keep({ kind: 'report', item: { id: 'm1', attempt: 1 } }).catch(({ code }) => code)
      const ids = [...journal.untold.values()].map(({ item }) => item.id)
      journal.forget([...journal.untold.keys()])
      await journal.undo('m2', 1)
      return [error, ids, journal.untold.size]`)
    expect(told).toEqual(['EFBIG', ['m1'], 0])
  })

  test('a journal on a full disk does not report a text that it could not store, and reports it once when received again', () => {
    const [told, last] = whenFull(`
      const journal = openJournal(file)
      const keep = (id) => journal.keep({ kind: 'incoming', item: { id } })
      limit(${LIMIT})
      let last = 0
      try { for (; ; last++) await keep('m' + last) } catch {}
      const told = journal.untold.size
      limit('unlimited')
      await keep('m' + last)
      return [told, last]`) as [number, number]
    expect(told).toBe(last)
    expect(idsOf(openJournal(file))).toEqual(Array.from({ length: last + 1 }, (_, i) => `m${i}`))
  })

  test('a journal on a full disk refuses to open but keeps its earlier entries', async () => {
    const journal = openJournal(file)
    const ids = Array.from({ length: 100 }, (_, i) => `m${i}`)
    for (const id of ids) await journal.keep(report(id))
    const error = whenFull(`
      limit(${LIMIT})
      try { openJournal(file) } catch (error) { return error.code }
      return 'none'`)
    expect(error).toBe('EFBIG')
    expect(idsOf(openJournal(file))).toEqual(ids)
  })
})
