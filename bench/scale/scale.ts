import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { freePort } from '../../test/support/database/postgres.ts'
import { serve } from '../../test/support/server/program.ts'
import { ask } from '../contender.ts'
import { table } from '../report.ts'
import { emailOf, fill, PASSWORD, READERS, SUPERUSER } from './fill.ts'
import { freeBytes, startKeptPostgres } from './kept-postgres.ts'
import { type Asker, QUESTIONS, type Question } from './questions.ts'

const CLI = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url))
const LISTS = '/api/collections/sms_messages/records'
/** With its indexes, and what making them takes for a while. */
const BYTES_PER_MESSAGE = 1_200
const INDEX_PATIENCE_MS = 3_600_000
const LOOK_MS = 2_000
/** A question is asked so often, unless it takes so long. */
const TIMES = 15
const ENOUGH_MS = 20_000

export interface ScaleOptions {
  readonly messages: number
  /** A folder whose database stays, and is used again; undefined: a temporary one. */
  readonly keep: string | undefined
  /** Part of a question's name. */
  readonly only: string
}

const say = (line: string) => void process.stderr.write(`${line}\n`)

/**
 * Makes a history of many messages, asks each question as three people, one request at a time, and prints the
 * medians. Throws when the disk has no room, when a kept folder has another number of messages, and when a
 * request fails.
 */
export async function measureScale({ messages, keep, only }: ScaleOptions): Promise<void> {
  const folder = keep ? resolve(keep) : mkdtempSync(join(tmpdir(), 'pocketsms-scale-'))
  const postgres = await startKeptPostgres(folder)
  try {
    await prepare(postgres.url, folder, messages)
    const rows = await askAll(postgres.url, only)
    const machine = `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`
    console.log(
      `Postgres ${postgres.version}, ${messages.toLocaleString('en')} messages, ${machine}\n`,
    )
    console.log(table(rows))
  } finally {
    await postgres.stop()
    if (!keep) rmSync(folder, { recursive: true, force: true })
  }
}

/** Fills the database, unless an earlier run has done so. */
async function prepare(url: string, folder: string, messages: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const found = await messagesIn(client)
    if (found === messages)
      return say(`${folder} has ${messages.toLocaleString('en')} messages already`)
    if (found > 0)
      throw new Error(`${folder} has ${found} messages. Remove it, or ask for as many.`)
    const needed = messages * BYTES_PER_MESSAGE
    if (freeBytes(folder) < needed)
      throw new Error(`${folder} needs ${Math.ceil(needed / 1e9)} GB of disk.`)
    say('making the tables')
    runCli(['migrate'], url)
    const run = async (text: string) => void (await client.query(text))
    await fill(run, async (text) => (await client.query(text)).rows, messages, say)
  } finally {
    await client.end()
  }
}

async function messagesIn(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`select to_regclass('sms_messages') is not null as there`)
  if (!rows[0].there) return 0
  const counted = await client.query('select count(*)::int as messages from sms_messages')
  return counted.rows[0].messages
}

function runCli(args: readonly string[], url: string): void {
  const env = { ...process.env, DATABASE_URL: url }
  execFileSync(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function askAll(databaseUrl: string, only: string): Promise<string[][]> {
  runCli(['superuser', 'upsert', SUPERUSER, PASSWORD], databaseUrl)
  const port = String(await freePort())
  const env = { DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: port, LOG_LEVEL: 'warn' }
  // what reads much from a cold disk is measured, too, and not refused
  const server = await serve({ ...env, CLIENT_STATEMENT_SECONDS: '30' })
  try {
    const askers = await signInAll(server.url)
    await indexesReady(server.url, askers.at(-1)!)
    const head = [
      'median ms (slowest)',
      ...askers.map(({ messages }) => messages.toLocaleString('en')),
    ]
    const rows = [head]
    for (const question of QUESTIONS.filter(({ name }) => name.includes(only))) {
      const cells: string[] = []
      for (const asker of askers) cells.push(await measure(server.url, question, asker))
      say(`${question.name}: ${cells.join(', ')}`)
      rows.push([question.name, ...cells])
    }
    return rows
  } finally {
    await server.stop()
  }
}

/** Both readers, then the superuser. */
async function signInAll(url: string): Promise<Asker[]> {
  const names = Object.keys(READERS) as (keyof typeof READERS)[]
  const people = [
    ...names.map((name) => ['users', emailOf(name)] as const),
    ['_superusers', SUPERUSER] as const,
  ]
  return Promise.all(
    people.map(async ([collection, identity]) => {
      const body = { identity, password: PASSWORD }
      const path = `/api/collections/${collection}/auth-with-password`
      const { token } = await ask<{ token: string }>(url + path, { body })
      const query = `perPage=1&sort=created&filter=${encodeURIComponent('to != ""')}`
      const { items } = await ask<{ items: { to: string }[] }>(
        `${url}${LISTS}?${query}&skipTotal=1`,
        {
          token,
        },
      )
      const { totalItems } = await ask<{ totalItems: number }>(`${url}${LISTS}?perPage=1`, {
        token,
      })
      return { token, number: items[0]!.to, messages: totalItems }
    }),
  )
}

/** The server builds missing indexes beside its work; a kept database may lack those of a newer version. */
async function indexesReady(url: string, { token }: Asker): Promise<void> {
  for (const end = Date.now() + INDEX_PATIENCE_MS; ; ) {
    const warnings = await ask<{ code: string; message: string }[]>(`${url}/api/warnings`, {
      token,
    })
    const open = warnings.find(({ code }) => code === 'indexes')
    if (!open) return
    if (Date.now() > end) throw new Error(open.message)
    say(open.message)
    await new Promise((done) => setTimeout(done, LOOK_MS))
  }
}

async function measure(url: string, question: Question, asker: Asker): Promise<string> {
  const query = question.query(asker)
  if (!query) return '–'
  const path = `${url}${LISTS}?${new URLSearchParams(query)}`
  const times: number[] = []
  await ask(path, { token: asker.token })
  for (
    const begin = performance.now();
    times.length < TIMES && performance.now() - begin < ENOUGH_MS;
  ) {
    const start = performance.now()
    await ask(path, { token: asker.token })
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  return `${inMs(times[times.length >> 1]!)} (${inMs(times.at(-1)!)})`
}

const inMs = (ms: number) => ms.toFixed(ms < 10 ? 1 : 0)
