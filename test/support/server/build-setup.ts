import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildProgram } from './build-program.ts'

let folder: string | undefined

/**
 * Runs once before slow files: PROGRAM_HOME becomes a folder with the program, unless it names one. They
 * start it hundreds of times, and it needs half of the CPU time that the sources need.
 */
export async function setup(): Promise<void> {
  if (process.env.PROGRAM_HOME) return
  folder = mkdtempSync(join(tmpdir(), 'pocketsms-program-'))
  await buildProgram(folder)
  process.env.PROGRAM_HOME = folder
}

export function teardown(): void {
  if (folder) rmSync(folder, { recursive: true, force: true })
}
