import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { bundleProgram } from '../../../package/bundle.ts'
import { CLONE } from './program-files.ts'

/** Puts the program into an empty folder, as the packed file has it, beside the packages of the clone. */
export async function buildProgram(folder: string): Promise<void> {
  await bundleProgram(join(folder, 'dist'))
  for (const part of ['bin', 'sql', 'package.json'])
    cpSync(join(CLONE, part), join(folder, part), { recursive: true })
  for (const part of ['console', 'node_modules']) symlinkSync(join(CLONE, part), join(folder, part))
}

if (import.meta.main) await buildProgram(process.argv[2]!)
