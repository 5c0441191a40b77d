import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from '../third-party/door-clients.ts'

// Programs that run JavaScript beside Node, and an older compiler of TypeScript.
// npx node test/third-party/install.ts installs them.

export const RUNTIMES_NPM = { bun: '1.4.5', deno: '2.9.6', typescript: '5.9.3' } as const
export const RUNTIMES_FOLDER = join(FOLDER, '..', 'javascript-runtimes')

/** The program; undefined if it is not installed. Packages of npm for each platform contain it. */
const find = (program: string): string | undefined =>
  globSync(`node_modules/@{deno,oven}/*/**/${program}{,.exe}`, { cwd: RUNTIMES_FOLDER })
    .map((file) => join(RUNTIMES_FOLDER, file))
    .at(0)

export const BUN = find('bun')
export const DENO = find('deno')
/** The last version with `moduleResolution: node`; an address without a file if it is not installed. */
export const TYPESCRIPT_5 = join(RUNTIMES_FOLDER, 'node_modules/typescript/lib/tsc.js')
export const hasRuntimes = (): boolean =>
  BUN !== undefined && DENO !== undefined && existsSync(TYPESCRIPT_5)
