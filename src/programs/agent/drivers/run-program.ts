import { execFile } from 'node:child_process'
import { UserError } from '../../../platform/api-errors.ts'
import { parseJson } from '../../../platform/tools/json.ts'

/** Result of running a program. `code`: exit code; null if it did not start or was killed. */
export interface ProgramResult {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

const MAX_OUTPUT_BYTES = 16 << 20

/** Runs a program with `input` as standard input, until it ends or `timeoutMs` passes. Never throws. */
export function runProgram(
  command: string,
  args: readonly string[],
  timeoutMs: number,
  input = '',
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = {
      timeout: timeoutMs,
      maxBuffer: MAX_OUTPUT_BYTES,
      killSignal: 'SIGKILL',
    } as const
    const child = execFile(command, args, options, (error, output, errors) => {
      const code = error ? (typeof error.code === 'number' ? error.code : null) : 0
      resolve({ code, output, errors: errors.trim() || (error?.message ?? '') })
    })
    child.stdin?.on('error', () => {}) // the program ended without reading its input
    child.stdin?.end(input)
  })
}

/** The JSON output of a program; undefined if it is invalid. */
export const parseOutput = <T>(output: string) => parseJson(output) as T | undefined

/** The first line that a program prints about its version, such as `mmcli 1.20.4`. '' if it does not run. */
export async function readVersion(command: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await runProgram(command, args, 15_000)
  return code === 0 ? output.trim().split('\n')[0]!.trim() : ''
}

/** Compares a version such as `mmcli 1.20.4`. Negative: it is older. NaN: it has no number. */
export function compareVersion(version: string, major: number, minor: number): number {
  const [, first, second] = /(\d+)\.(\d+)/.exec(version) ?? []
  return Number(first) - major || Number(second) - minor
}

/** Throws a UserError if a program does not run or fails. `hint` says how to install it. */
export async function requireProgram(
  command: string,
  args: readonly string[],
  hint: string,
): Promise<void> {
  const { code, errors } = await runProgram(command, args, 15_000)
  if (code !== 0)
    throw new UserError(`${command} does not work: ${errors || `it ended with ${code}`}. ${hint}`)
}
