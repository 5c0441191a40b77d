import { execFile } from 'node:child_process'
import { UserError } from '../errors.ts'
import { parseJson } from '../tools/json.ts'

/** A message to send. `sim` 0: any SIM. */
export interface OutgoingText {
  readonly id: string
  readonly attempt: number
  readonly to: string
  readonly body: string
  readonly sim: number
}

/**
 * Result of handing a message to the radio. `notSent`: it certainly was not sent, so a retry is safe.
 * `unknown` is not reported: the server follows its `guarantee`. `again`: it was not sent, and `send` is
 * called again as soon as `ready` says so.
 */
export type SendResult =
  | { readonly outcome: 'sent' | 'unknown' | 'again' }
  | { readonly outcome: 'failed'; readonly error: string; readonly notSent: boolean }

/** An incoming text. `sim` 0: unknown. */
export interface IncomingText {
  readonly from: string
  readonly body: string
  readonly sim: number
}

/** Events of a driver besides results of `send`. Dates are by its clock. Promises: it is on the disk. */
export interface DriverEvents {
  /** The network reports delivery or, with `error`, final failure. */
  delivered(text: Pick<OutgoingText, 'id' | 'attempt'>, at: Date, error?: string): Promise<void>
  received(text: IncomingText, at: Date): Promise<void>
  roomGrew(): void
}

/** A SIM card; `slot` from 1. */
export interface Sim {
  readonly slot: number
  /** The number in E.164. */
  readonly number?: string
  /** A name or short code in place of a number. */
  readonly sender?: string
  readonly carrier?: string
  /** ISO 3166 code, two letters. */
  readonly country?: string
}

/** A phone or modem. One file per driver. */
export interface Driver {
  /** Messages that it accepts at once; 0 while it has no connection. */
  readonly parallel: number
  /** Its SIM cards, if it can tell them apart; known after `start`. */
  readonly sims?: readonly Sim[]
  start(events: DriverEvents): Promise<void>
  /** Waits until `send` can begin: false when `untilMs` (monotonic clock) or `ended` came first. */
  ready?(untilMs: number, ended: AbortSignal): Promise<boolean>
  /** Hands a message to the radio before `untilMs`, once per attempt except after `again`. Never throws. */
  send(text: OutgoingText, untilMs: number): Promise<SendResult>
  /** Its own clock, if it has one. Results are reported by it. */
  now?(): Date
  stop(): Promise<void>
}

/** Result of another program: exit code (null: not started or killed) and outputs. */
export interface ProgramResult {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

const MAX_OUTPUT_BYTES = 16 << 20

/** Runs a program to its end with `input` as standard input. Never throws. */
export function runProgram(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  input = '',
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES, killSignal: 'SIGKILL' } as const
    const child = execFile(command, args, options, (error, output, errors) => {
      const code = error ? (typeof error.code === 'number' ? error.code : null) : 0
      resolve({ code, output, errors: errors.trim() || (error?.message ?? '') })
    })
    child.stdin?.on('error', () => {}) // the program ended without reading its input
    child.stdin?.end(input)
  })
}

/** The JSON output of a program; undefined if it is invalid. */
export const readJson = <T>(output: string) => parseJson(output) as T | undefined

/** Parses a date; returns the current time for an invalid one. */
export function instantOf(text: string): Date {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? new Date() : at
}

/** Throws a UserError if a program cannot be started; `hint` says how to get it. */
export async function needProgram(command: string, args: readonly string[], hint: string): Promise<void> {
  const { code, errors } = await runProgram(command, args, 15_000)
  if (code !== 0)
    throw new UserError(`${command} does not work: ${errors || `it ended with ${code}`}. ${hint}`)
}

/** Drivers log here that a modem or phone does not answer. */
export const STDERR = {
  error: ({ err }: { readonly err: unknown }) =>
    void process.stderr.write(`The modem does not answer: ${err}\n`),
}
