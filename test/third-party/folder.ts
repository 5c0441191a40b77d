import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** What others made for PocketBase, and examples of what GitHub posts, in the versions that we test with. */
export const TOOLS = {
  'pocketbase-typegen': '1.5.0',
  'refine-pocketbase': '1.0.3',
  pocketbase: '0.28.1',
  '@octokit/webhooks-examples': '7.6.1',
} as const

/** A project of its own: together they weigh more than all that we depend on. */
export const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'pocketbase-tools')

/** A file of one of the tools. */
export const toolFile = (path: string) => join(FOLDER, 'node_modules', path)

export const areInstalled = () => Object.keys(TOOLS).every((name) => existsSync(toolFile(name)))
