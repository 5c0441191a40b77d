import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { requestsOf } from './contender.ts'
import { seedEmbedded } from './databases.ts'
import type { Sample } from './load.ts'
import { load } from './measure.ts'
import type { Scenario } from './scenarios.ts'
import { MESSAGES } from './seed.ts'
import { startPocketsms } from './servers.ts'

// `npx node bench/backup.ts`: how long a backup of 200,000 messages takes while messages are sent, and what
// it does to them.

const USAGE = `npx node bench/backup.ts [options]
  --connections N    that send at the same time; default 16
  --seconds N        how long they send without a backup, and how long each sample with one is; default 10
  --restore          restore the backup, too
`
const CLI = fileURLToPath(new URL('../src/main/cli.ts', import.meta.url))

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '10' },
    restore: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const say = (line: string) => void process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), 'pocketsms-bench-'))
const file = join(folder, 'backup.zip')

/** Runs one of our commands; its output and how long it took. Throws when it fails. */
async function command(args: readonly string[], env: Record<string, string>) {
  const start = performance.now()
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  if (code !== 0) throw new Error(errors)
  return { output: output.trim(), seconds: (performance.now() - start) / 1000 }
}

const seconds = Number(values.seconds)
const connections = Number(values.connections)
const sends: Scenario = { name: 'sends', kind: 'send', user: 'sender', connections, recipients: 1 }
const told = ({ rate, p50, p99, failed }: Sample) =>
  `${rate.toFixed(0)} sends/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms${failed ? `, ${failed} FAILED` : ''}`

async function measureBackup(database: Record<string, string>): Promise<void> {
  const server = await startPocketsms(database)
  try {
    const requests = requestsOf(server, sends)!
    const sample = (warmSeconds: number) =>
      load({ url: server.url, connections, requests, warmSeconds, seconds })
    const without = await sample(3)
    say(`without a backup: ${told(without)}`)
    let isOver = false
    const made = command(['backup', '--to', file], database).finally(() => {
      isOver = true
    })
    const samples: Sample[] = []
    while (!isOver) {
      samples.push(await sample(0))
      say(`with a backup:    ${told(samples.at(-1)!)}`)
    }
    const backup = await made
    const worst = Math.max(...samples.map(({ p99 }) => p99))
    say(
      `${backup.output}\n${backup.seconds.toFixed(1)} s of ${MESSAGES} messages and what was sent meanwhile`,
    )
    say(`p99 at most ${(worst / without.p99).toFixed(1)} times that without`)
  } finally {
    await server.stop()
  }
}

if (values.help) say(USAGE)
else {
  try {
    const data = { DATABASE_URL: '', DATA_DIR: join(folder, 'data') }
    await seedEmbedded(data.DATA_DIR)
    await measureBackup(data)
    const check = await command(['backup', '--check', file], {})
    say(`checked in ${check.seconds.toFixed(1)} s`)
    if (values.restore) {
      const restored = await command(['restore', file], {
        DATABASE_URL: '',
        DATA_DIR: join(folder, 'restored'),
      })
      say(`${restored.output}\nrestored in ${restored.seconds.toFixed(1)} s`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
