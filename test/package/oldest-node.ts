import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The oldest Node that package.json promises, as npm has it: node test/third-party/install.ts fetches it. */
export const OLDEST_NODE = { [`node-${process.platform}-${process.arch}`]: '22.18.0' }
export const OLDEST_NODE_FOLDER = fileURLToPath(
  new URL('../../node_modules/.cache/oldest-node', import.meta.url),
)
export const OLDEST_NODE_BIN = join(
  OLDEST_NODE_FOLDER,
  'node_modules',
  Object.keys(OLDEST_NODE)[0]!,
  'bin/node',
)
