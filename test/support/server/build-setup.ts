import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleProgram } from '../../../package/bundle.ts'
import { CLONE } from './program-files.ts'

let folder: string | undefined

/**
 * Runs once before slow files: PROGRAM_HOME becomes a folder with the program as the packed file has it. They
 * start it hundreds of times, and it needs half of the CPU time that the sources need.
 */
export async function setup(): Promise<void> {
  if (process.env.PROGRAM_HOME) return
  folder = mkdtempSync(join(tmpdir(), 'pocketsms-program-'))
  await bundleProgram(join(folder, 'dist'))
  for (const part of ['bin', 'sql', 'package.json'])
    cpSync(join(CLONE, part), join(folder, part), { recursive: true })
  for (const part of ['console', 'node_modules']) symlinkSync(join(CLONE, part), join(folder, part))
  process.env.PROGRAM_HOME = folder
}

export function teardown(): void {
  if (folder) rmSync(folder, { recursive: true, force: true })
}
