import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runs } from '../../support/installed.ts'
import { SMPP_FOLDER, SMPP_JAVA_FOLDER } from '../../third-party/door-clients.ts'
import type { Submit } from './wire.ts'

/** Of Debian's package kannel-extras. */
const DRIVE_SMPP = '/usr/lib/kannel/test/drive_smpp'
const PROGRAM = join(import.meta.dirname, 'smsc.py')
const JAVA_PROGRAM = join(import.meta.dirname, 'Smsc.java')
const JARS = join(SMPP_JAVA_FOLDER, 'jars', '*')
const PYTHON = { ...process.env, PYTHONPATH: SMPP_FOLDER }
const BEARERBOX_PORT = 13_001
const AGAIN_MS = 200
/** Share of the texts that get each fault. */
const FAULTS = 0.2
/** Texts that drive_smpp sends after each start: numbers from 1 on. */
export const KANNEL_INCOMING = 20

/** Why they cannot be started here; undefined where they can. */
export function whyNoSmscs(): string | undefined {
  if (!existsSync(DRIVE_SMPP)) return 'drive_smpp is not installed (Debian: kannel-extras)'
  return existsSync(SMPP_FOLDER)
    ? undefined
    : 'smpp.twisted is not installed (test/third-party/install.ts)'
}

/** The same for Cloudhopper's. */
export function whyNoCloudhopper(): string | undefined {
  if (!runs('javac', '--version')) return 'there is no JDK'
  const hint = 'ch-smpp is not installed (test/third-party/install.ts, with Maven)'
  return existsSync(join(SMPP_JAVA_FOLDER, 'jars')) ? undefined : hint
}

/** An SMSC that others wrote, as a process that comes back whenever it ends. */
export interface Smsc {
  readonly name: string
  readonly port: number
  /** File of what it sends, a JSON line each. Undefined: it sends no receipts and no long texts. */
  readonly notes?: string
  kill(): void
  stop(): void
}

/** Gives no ids, so it sends no receipts. Ends when a client goes, and unless it reaches a bearerbox. */
export function startKannel(port: number): Smsc {
  const bearerbox = createServer().on('error', () => {}) // a real one is there
  bearerbox.listen(BEARERBOX_PORT, '127.0.0.1').unref()
  const options = ['-v', 4, '-p', port, '-m', KANNEL_INCOMING].map(String)
  return { name: 'drive_smpp', port, ...keepAlive(DRIVE_SMPP, options) }
}

/** `incoming`: how many long texts it sends. */
export function startTwisted(
  port: number,
  folder: string,
  incoming: number,
  isFaulty: boolean,
): Smsc {
  const notes = join(folder, `smsc-${port}.notes`)
  const options = [PROGRAM, 'serve', port, notes, isFaulty ? FAULTS : 0, incoming].map(String)
  return { name: 'smpp.twisted', port, notes, ...keepAlive('python3', options) }
}

/** See Smsc.java for what it does. */
export function startCloudhopper(
  port: number,
  folder: string,
  incoming: number,
  isFaulty: boolean,
): Smsc {
  const notes = join(folder, `smsc-${port}.notes`)
  execFileSync('javac', ['-nowarn', '-cp', JARS, '-d', folder, JAVA_PROGRAM], { stdio: 'pipe' })
  const options = [
    '-cp',
    `${JARS}:${folder}`,
    'Smsc',
    port,
    notes,
    isFaulty ? FAULTS : 0,
    incoming,
  ].map(String)
  return { name: 'Cloudhopper', port, notes, ...keepAlive('java', options) }
}

function keepAlive(program: string, args: readonly string[]): Pick<Smsc, 'kill' | 'stop'> {
  let child: ChildProcess
  let isOver = false
  const kill = () => void child.kill('SIGKILL')
  const start = () => {
    if (isOver) return
    child = spawn(program, args, { env: PYTHON, stdio: 'ignore' })
    child.once('exit', () => setTimeout(start, AGAIN_MS))
  }
  const stop = () => {
    isOver = true
    process.off('exit', stop)
    kill()
  }
  process.once('exit', stop)
  start()
  return { kill, stop }
}

/** A submit_sm as smpp.twisted reads it. */
export interface Part extends Omit<Submit, 'pdu'> {
  readonly to: string
  readonly ref: unknown
  readonly parts: number
  readonly part: number
  readonly text: string
}

export async function readParts(submits: readonly Submit[]): Promise<Part[]> {
  const input = submits.map(({ pdu }) => `${pdu.toString('hex')}\n`).join('')
  const reading = promisify(execFile)('python3', [PROGRAM, 'read'], {
    env: PYTHON,
    maxBuffer: 1 << 30,
  })
  reading.child.stdin!.end(input)
  const lines = (await reading).stdout.split('\n').filter(Boolean)
  return lines.map((line, i) => ({ ...submits[i]!, ...(JSON.parse(line) as Part) }))
}
