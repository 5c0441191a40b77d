import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { stopLater } from '../stops.ts'
import { until } from '../until.ts'
import { PROGRAM_HOME } from './program-files.ts'

/** Of 40 processes that compute on two cores, a server may need more than a minute. */
const START_MS = 180_000
const STOP_MS = 15_000

/** A program that runs as a process of its own, as for a user. */
export interface RunningProgram {
  readonly url: string
  readonly pid: number
  /** What it wrote so far: the last 20,000 characters of both outputs. */
  output(): string
  hasEnded(): boolean
  /** SIGTERM, then SIGKILL when it takes too long. */
  stop(): Promise<void>
}

/**
 * Starts `pocketsms serve` as `npm start` does, with `env` beside our own environment and waits until it
 * answers. HOST and PORT must be in it. Throws with its output when it ends before that. `home`: of another
 * version.
 */
export function serve(
  env: Readonly<Record<string, string>>,
  home = PROGRAM_HOME,
): Promise<RunningProgram> {
  const args = [join(home, 'bin/pocketsms.js'), 'serve']
  return startProgram(process.execPath, args, env, `http://127.0.0.1:${env.PORT}`, '/api/health')
}

/** Starts any server and waits until GET `path` answers 200. `sockets`: its descriptors from 3 on. */
export async function startProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  url: string,
  path: string,
  sockets: readonly number[] = [],
): Promise<RunningProgram> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...sockets],
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = (output + chunk).slice(-20_000)
  }
  child.stdout!.on('data', keep)
  child.stderr!.on('data', keep)
  child.on('error', (error) => keep(Buffer.from(error.message)))
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const program = {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    hasEnded: () => hasEnded(child),
    stop: stopLater(() => stop(child)),
  }
  try {
    await awaitAnswer(child, url + path, () => output)
  } catch (error) {
    await program.stop()
    throw error
  }
  return program
}

async function awaitAnswer(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const isThere = async () => {
    const response = await fetch(url).catch(() => undefined)
    await response?.arrayBuffer()
    if (hasEnded(child)) throw new Error(`The server ended before it answered.\n${output()}`)
    return response?.ok
  }
  await until(`an answer of ${url}`, isThere, START_MS)
}

const hasEnded = (child: ChildProcess) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const impatient = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(impatient)
}
