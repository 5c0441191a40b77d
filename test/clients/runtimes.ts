import { globSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from '../third-party/door-clients.ts'

// Programs that run JavaScript beside Node, which npx node test/third-party/install.ts installs.

export const RUNTIMES_NPM = { bun: '1.4.5', deno: '2.9.6' } as const
export const RUNTIMES_FOLDER = join(FOLDER, '..', 'javascript-runtimes')

/** The program; undefined if it is not installed. Packages of npm for each platform contain it. */
const find = (program: string): string | undefined =>
  globSync(`node_modules/@{deno,oven}/*/**/${program}{,.exe}`, { cwd: RUNTIMES_FOLDER })
    .map((file) => join(RUNTIMES_FOLDER, file))
    .at(0)

export const BUN = find('bun')
export const DENO = find('deno')
export const hasRuntimes = (): boolean => BUN !== undefined && DENO !== undefined
